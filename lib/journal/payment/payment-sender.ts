import { type ApplicationEvents } from '../../common/application-events.js';
import { pause } from '../../common/timing.js';
import { type OutcomeEvidence, type PaymentFamily } from '../../common/vocabulary.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { PaymentOutcomeUnknownError, PaymentRejectedError } from '../../errors/payments-errors.js';
import { callLimits, type CallLimits } from '../../gateway/call-options.js';
import { type CallResult } from '../../gateway/call-result.js';
import { type MoneyCall } from '../../gateway/gateway-call.js';
import { type GatewayClient } from '../../gateway/gateway-client.js';
import { type JournalRecord, type JournalStore } from '../../storage/journal-store.js';
import { isInProcess } from '../../storage/memory/memory-storage.js';
import { type PaymentIntent } from './payment-intent.js';

/** The options that payments are made by. */
export type PaymentOptions = Pick<
  ResolvedPaymentsOptions,
  | 'account'
  | 'environment'
  | 'baseUrl'
  | 'limits'
  | 'probe'
  | 'recoveryWindowMs'
  | 'timeoutMs'
  | 'deadlineMs'
  | 'retry'
>;

/** Sends the payments that are written down, and tells the application's listeners what became of them. */
export class PaymentSender {
  constructor(
    private readonly options: PaymentOptions,
    private readonly store: JournalStore,
    private readonly events: Pick<ApplicationEvents, 'emit'>,
    private readonly gateway: Pick<GatewayClient, 'send' | 'rateLimiter'>,
  ) {}

  /** The limits of a payment without a caller. */
  limits(): CallLimits {
    return callLimits(this.options);
  }

  isPaused({ sendBy }: CallLimits): boolean {
    return this.gateway.rateLimiter.pausedMs(sendBy) > 0;
  }

  /** Waits for the end of a pause, if there is one. Resolves to the time that it took. */
  async afterPause({ sendBy, signal }: CallLimits): Promise<number> {
    let waitedMs = 0;
    for (let ms; (ms = this.gateway.rateLimiter.pausedMs(sendBy)) > 0; waitedMs += ms) {
      if (!(await pause(ms, signal))) throw signal?.reason;
    }
    return waitedMs;
  }

  send<T extends object>(
    call: MoneyCall<T>,
    intent: PaymentIntent,
    limits: CallLimits,
    waitedMs: number,
  ): Promise<CallResult<T>> {
    const waits = limits.once || intent.earlier ? undefined : this.options.probe[call.kind];
    const probing = waits && {
      waits,
      begin: (evidence: OutcomeEvidence) => intent.probeWithin(evidence, limits),
    };
    const isNoted = !limits.once && this.mayBeRecovered(intent, call.kind);
    const onSending = isNoted ? intent.markSent.bind(intent) : undefined;
    const { idempotencyKey, body = '' } = intent.record;
    return this.gateway.send(
      call,
      { idempotencyKey, body, earlier: intent.earlier, probing, onSending, waitedMs },
      limits,
    );
  }

  announceUnknown(record: JournalRecord, error: unknown): void {
    if (!(error instanceof PaymentOutcomeUnknownError)) return;
    this.events.emit('payment.unknown', { ...namesOf(record), evidence: error.evidence });
  }

  /** @param final Whether the refusal proves that no money moved. */
  announceRejected(record: JournalRecord, error: unknown, final: boolean): void {
    if (!(error instanceof PaymentRejectedError)) return;
    this.events.emit('payment.rejected', { ...namesOf(record), code: error.code, final });
  }

  /** Whether another process may ever probe the payment. */
  private mayBeRecovered({ earlier }: PaymentIntent, kind: PaymentFamily): boolean {
    return earlier === undefined && this.options.probe[kind] !== undefined && !isInProcess(this.store);
  }
}

function namesOf({ account, family, operation, reference, idempotencyKey }: JournalRecord) {
  return { account, family, operation, reference, idempotencyKey };
}
