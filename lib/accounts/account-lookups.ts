import { performance } from 'node:perf_hooks';
import { inTime } from '../common/timing.js';
import { type ResolvedResolverOptions } from '../config/resolve-accounts.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { PaymentsAccountError } from '../errors/payments-account.error.js';
import { failureLabel } from '../errors/payments-errors.js';
import { SafeLogger } from '../common/safe-logger.js';

/** Names that strangers invent must not fill the memory. */
const MOST_UNKNOWN = 10_000;

type Found = ResolvedPaymentsOptions | undefined;

/**
 * Asks the resolver for accounts: each once at a time, within a limit of time. Remembers for a short time which names
 * are unknown. It never remembers keys.
 */
export class AccountLookups {
  private readonly logger = new SafeLogger('PaymentsAccounts');
  private readonly running = new Map<string, Promise<Found>>();
  /** Until when each name is unknown, by `performance.now()`; the oldest first. */
  private readonly unknown = new Map<string, number>();

  constructor(
    private readonly options: Pick<ResolvedResolverOptions, 'accounts' | 'optionsOf'>,
    /** Called with every answer that still counts, before anybody gets it. */
    private readonly onFound: (account: string, found: Found) => void,
  ) {}

  /** Whether the resolver has just said that there is no such account. */
  isUnknown(account: string): boolean {
    const until = this.unknown.get(account);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.unknown.delete(account);
    return false;
  }

  /**
   * Asks, or joins whoever asks already.
   *
   * @throws PaymentsAccountError if the resolver fails or takes too long.
   * @throws PaymentsConfigError if its answer is wrong.
   */
  find(account: string): Promise<Found> {
    return this.running.get(account) ?? this.ask(account);
  }

  /** Forgets what is known. An answer that is under way does not count any more: whoever waits for it asks again. */
  forget(account: string): void {
    this.unknown.delete(account);
    this.running.delete(account);
  }

  /** Resolves when nobody waits for the resolver any more. Never rejects. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.running.values());
  }

  private ask(account: string): Promise<Found> {
    const asking: Promise<Found> = this.answer(account).then(
      (found) => {
        if (this.running.get(account) !== asking) return this.find(account);
        this.running.delete(account);
        if (!found) this.rememberUnknown(account);
        this.onFound(account, found);
        return found;
      },
      (error: unknown) => {
        if (this.running.get(account) !== asking) return this.find(account);
        this.running.delete(account);
        throw error;
      },
    );
    this.running.set(account, asking);
    return asking;
  }

  private async answer(account: string): Promise<Found> {
    const returned = await this.returned(account);
    return returned == null ? undefined : this.options.optionsOf(returned, account);
  }

  private async returned(account: string): Promise<unknown> {
    const { resolve, timeoutMs } = this.options.accounts;
    const late = (): Error => unavailable(account, `accounts.resolve did not answer within ${timeoutMs} ms`);
    try {
      const asked = Promise.resolve(account).then(resolve);
      return await inTime(asked, performance.now() + timeoutMs, late);
    } catch (error) {
      if (error instanceof PaymentsAccountError) throw error;
      this.logger.error(`accounts.resolve failed for the account '${account}': ${failureLabel(error)}`);
      throw unavailable(account, 'accounts.resolve failed');
    }
  }

  private rememberUnknown(account: string): void {
    this.unknown.delete(account);
    this.unknown.set(account, performance.now() + this.options.accounts.unknownCacheMs);
    if (this.unknown.size <= MOST_UNKNOWN) return;
    const [oldest] = this.unknown.keys();
    if (oldest !== undefined) this.unknown.delete(oldest);
  }
}

function unavailable(account: string, problem: string): PaymentsAccountError {
  return new PaymentsAccountError(
    'ACCOUNT_UNAVAILABLE',
    `The account '${account}' is not available, so nothing was sent: ${problem}.`,
    { hint: 'Make the same call again when accounts.resolve works.' },
  );
}

export function unknownAccount(account: string): PaymentsAccountError {
  return new PaymentsAccountError(
    'ACCOUNT_UNKNOWN',
    `There is no account '${account}', so nothing was sent: accounts.resolve does not know it.`,
    { hint: 'If it was added just now, call PaymentsAccounts.forget() with its name.' },
  );
}
