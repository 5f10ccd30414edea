import { Injectable, type OnModuleDestroy, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { PaymentsAccounts } from '../../accounts/payments-accounts.js';
import { CALL_END_CHANNEL } from '../../common/call-diagnostics.js';
import { onPaymentsDiagnostics } from '../../common/diagnostics.js';
import { getPaymentsToken } from '../../common/tokens.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError, isPaymentsError } from '../../errors/payments-errors.js';
import { PaymentsJournal } from '../../journal/payments-journal.js';
import { type Reconciliation } from '../../reconciliation/reconciliation.js';
import { WalletService } from '../../wallet/wallet.service.js';
import { type GatewayHealth } from './gateway-health.js';
import { GatewayProbe } from './gateway.probe.js';
import { OldestOfAll } from './oldest-of-all.js';
import {
  type PaymentsHealthOptions,
  type ResolvedHealthOptions,
  resolveHealthOptions,
} from './payments-health-options.js';

interface StorageHealth {
  readonly status: 'up' | 'down';
  readonly oldestUnresolvedMs?: number;
}

/**
 * Terminus indicator for payments: the gateway is reachable and accepts the credentials (the indicator reads
 * the balance), the storage can be read, and no payment has been open for too long. Provide it beside
 * `TerminusModule`.
 *
 * A single unclear answer (a 5xx, silence, a 429) changes nothing. The third silence or 5xx in a row means
 * down. If the account's own calls leave the read no turn, their ends count instead, and none for 30 seconds is
 * silence. The report contains no reference, no key and no address.
 *
 * @example
 * ```ts
 * @Controller('health')
 * class HealthController {
 *   constructor(
 *     private readonly health: HealthCheckService,
 *     private readonly payments: PaymentsHealthIndicator,
 *   ) {}
 *
 *   @Get()
 *   @HealthCheck()
 *   check() {
 *     return this.health.check([() => this.payments.isHealthy('payments', { maxUnresolvedAgeMs: 6 * 3_600_000 })]);
 *   }
 * }
 * ```
 *
 * @hideconstructor
 * @publicApi
 */
@Injectable()
export class PaymentsHealthIndicator implements OnModuleDestroy {
  private readonly probes = new Map<string, GatewayProbe>();
  private stopListening: (() => void) | undefined;
  /** A closure, because a ModuleRef leads to the options of every account. */
  private readonly injected: <T>(type: Type<T>, account: string) => T;
  private readonly oldestOfAll = new OldestOfAll();
  private readonly accounts: () => PaymentsAccounts;

  constructor(
    private readonly indicators: HealthIndicatorService,
    moduleRef: ModuleRef,
  ) {
    this.injected = (type, account) => moduleRef.get(getPaymentsToken(type, account), { strict: false });
    this.accounts = () => moduleRef.get(PaymentsAccounts, { strict: false });
  }

  /**
   * Checks one account, or all. Never rejects: it reports every problem, even a wrong option, as down with a
   * `message`.
   *
   * @param key The name in the Terminus report.
   * @returns `status`; `gateway`: `up`, `down`, or `unclear` before the first clear result; `storage`: `up` if it can be
   * read (it may refuse payments anyway), or `down`; `oldestUnresolvedMs`, if a payment is open.
   */
  async isHealthy<const Key extends string>(
    key: Key,
    options: PaymentsHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const session = this.indicators.check(key);
    try {
      const resolved = resolveHealthOptions(options);
      const [gateway, storage] = await Promise.all([
        resolved.gateway ? this.probeOf(resolved.account).check(resolved) : undefined,
        this.storage(resolved),
      ]);
      const { status, ...age } = storage;
      const details = { ...(gateway && { gateway: gateway.status }), storage: status, ...age };
      const problems = problemsOf(gateway, storage, resolved);
      if (problems.length === 0) return session.up(details);
      return session.down({ ...details, message: problems.join(' ') });
    } catch (error) {
      return session.down(isPaymentsError(error) ? error.message : 'The payments could not be examined.');
    }
  }

  /**
   * Checks when the last day was closed. Never rejects.
   *
   * @param key The name in the Terminus report.
   * @param reconciliation The service of `nestjs-payments/reconciliation`.
   * @param options `olderThanMs`: down if the day that was closed last ended longer ago, or none was closed.
   * @returns `status`; `lastDay`; `ageMs` since its end; `open`: the exceptions that are open, by kind.
   *
   * @example
   * ```ts
   * constructor(
   *   private readonly payments: PaymentsHealthIndicator,
   *   private readonly reconciliation: Reconciliation,
   * ) {}
   *
   * closes = () => this.payments.isClosed('close', this.reconciliation, { olderThanMs: 36 * 3_600_000 });
   * ```
   */
  async isClosed<const Key extends string>(
    key: Key,
    reconciliation: Pick<Reconciliation, 'status'>,
    options: { readonly olderThanMs: number; readonly account?: string },
  ): Promise<HealthIndicatorResult<Key>> {
    const session = this.indicators.check(key);
    const { olderThanMs, account } = options;
    try {
      // Of a misspelled account, the default one would be reported.
      refuseUnknown(options, ['olderThanMs', 'account'], callOptionErrors('isClosed()'));
      const status = await reconciliation.status(account === undefined ? {} : { account });
      if (!status) return session.down('No day was closed: see Reconciliation.close().');
      if (status.ageMs <= olderThanMs) return session.up({ ...status });
      const message = `The day that was closed last, ${status.lastDay}, ended ${status.ageMs} ms ago.`;
      return session.down({ ...status, message });
    } catch (error) {
      return session.down(isPaymentsError(error) ? error.message : 'The closes could not be examined.');
    }
  }

  /** Called by Nest. */
  onModuleDestroy(): void {
    this.stopListening?.();
  }

  private async storage({ account, allAccounts, cacheMs }: ResolvedHealthOptions): Promise<StorageHealth> {
    const journal = allAccounts ? undefined : this.find(PaymentsJournal, account);
    try {
      const oldest = journal
        ? await journal.oldestUnresolved()
        : await this.oldestOfAll.find(this.accounts(), cacheMs);
      return { status: 'up', ...(oldest && { oldestUnresolvedMs: Math.round(oldest.ageMs) }) };
    } catch (error) {
      // A storage that cannot list its accounts is no storage that is away.
      if (error instanceof PaymentsConfigError) throw error;
      return { status: 'down' };
    }
  }

  private probeOf(account: string): GatewayProbe {
    const known = this.probes.get(account);
    if (known) return known;
    const wallet = this.find(WalletService, account);
    const probe = new GatewayProbe((options) => wallet.balance(options));
    this.probes.set(account, probe);
    this.stopListening ??= onPaymentsDiagnostics(CALL_END_CHANNEL, (call) => {
      this.probes.get(call.account)?.callEnded(call);
    });
    return probe;
  }

  private find<T>(type: Type<T>, account: string): T {
    try {
      return this.injected(type, account);
    } catch {
      throw new PaymentsConfigError(
        `PaymentsHealthIndicator is to examine the account '${account}', which no PaymentsModule registers: name one that ` +
          'is registered with { account }, or register it with PaymentsModule.forRoot({ name }).',
      );
    }
  }
}

function problemsOf(
  gateway: GatewayHealth | undefined,
  { status, oldestUnresolvedMs = 0 }: StorageHealth,
  { maxUnresolvedAgeMs }: ResolvedHealthOptions,
): readonly string[] {
  return [
    ...(gateway?.problem === undefined ? [] : [gateway.problem]),
    ...(status === 'down' ? ['The storage does not answer.'] : []),
    ...(oldestUnresolvedMs >= maxUnresolvedAgeMs
      ? [`A payment has been open for ${oldestUnresolvedMs} ms: see PaymentsJournal.unresolved().`]
      : []),
  ];
}
