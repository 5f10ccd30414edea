import { performance } from 'node:perf_hooks';
import { withTimeout } from '../common/timing.js';
import { type ResolvedResolverOptions } from '../config/resolve-accounts.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { type InboxScope } from '../common/vocabulary.js';
import { PaymentsAccountError } from '../errors/payments-account.error.js';
import { failureLabel, PaymentsConfigError, type PaymentsError } from '../errors/payments-errors.js';
import { notByThisCall } from '../journal/payment/repeated-call-errors.js';
import { SafeLogger } from '../common/safe-logger.js';
import { ExpiringNames } from './expiring-names.js';
import { MinuteLog } from '../common/minute-log.js';

type Found = ResolvedPaymentsOptions | undefined;

/**
 * Asks the resolver for accounts: each once at a time, within a limit of time. Remembers for a short time which names
 * are unknown. It never remembers keys.
 */
export class AccountLookups {
  private readonly failures: MinuteLog;
  private readonly running = new Map<string, Promise<Found>>();
  /** The running lookups, and those that were forgotten while calls waited for them. */
  private readonly awaited = new Set<Promise<Found>>();
  private readonly unknown: ExpiringNames;

  constructor(
    private readonly options: Pick<ResolvedResolverOptions, 'accounts' | 'optionsOf'>,
    /** Called with every answer that still counts, before a caller gets it. */
    private readonly onFound: (account: string, found: Found) => void,
  ) {
    this.unknown = new ExpiringNames(options.accounts.unknownCacheMs);
    const logger = new SafeLogger('PaymentsAccounts');
    this.failures = new MinuteLog((line) => {
      logger.error(line);
    });
  }

  /** Whether the resolver has just said that there is no such account. */
  isUnknown(account: string): boolean {
    return this.unknown.has(account);
  }

  /**
   * Asks the resolver, or joins the lookup that is running.
   *
   * @throws PaymentsAccountError if the resolver fails or takes too long.
   * @throws PaymentsConfigError if its answer is wrong.
   */
  find(account: string): Promise<Found> {
    return this.running.get(account) ?? this.ask(account);
  }

  /** Forgets what is known. An answer that is under way does not count any more: calls that wait for it ask again. */
  forget(account: string): void {
    this.unknown.delete(account);
    this.running.delete(account);
  }

  /** Resolves when no call waits for the resolver any more. Never rejects. */
  async idle(): Promise<void> {
    while (this.awaited.size > 0) await Promise.allSettled(this.awaited);
  }

  private ask(account: string): Promise<Found> {
    const asking: Promise<Found> = this.answer(account).then(
      (found) => {
        if (this.running.get(account) !== asking) return this.find(account);
        this.running.delete(account);
        if (!found) this.unknown.add(account);
        this.onFound(account, found);
        return found;
      },
      (error: unknown) => {
        if (this.running.get(account) !== asking) return this.find(account);
        this.running.delete(account);
        throw error;
      },
    );
    const ended = (): void => {
      this.awaited.delete(asking);
    };
    this.running.set(account, asking);
    this.awaited.add(asking);
    asking.then(ended, ended);
    return asking;
  }

  private async answer(account: string): Promise<Found> {
    const returned = await this.returned(account);
    if (returned == null) return undefined;
    try {
      return this.options.optionsOf(returned, account);
    } catch (error) {
      if (error instanceof PaymentsConfigError) throw wrongAnswer(error);
      // A getter of what the resolver returned threw it.
      throw this.failed(account, error);
    }
  }

  private async returned(account: string): Promise<unknown> {
    const { resolve, timeoutMs } = this.options.accounts;
    let late: PaymentsAccountError | undefined;
    const onLate = (): Error => {
      late = unavailable(account, `accounts.resolve did not answer within ${timeoutMs} ms`);
      return late;
    };
    try {
      return await withTimeout(Promise.resolve(account).then(resolve), performance.now() + timeoutMs, onLate);
    } catch (error) {
      throw late && error === late ? late : this.failed(account, error);
    }
  }

  /** The error of the caller, who must not get that of the resolver: it may hold keys. */
  private failed(account: string, error: unknown): PaymentsAccountError {
    this.failures.report(`accounts.resolve failed for the account '${account}': ${labelOf(error)}`);
    return unavailable(account, 'accounts.resolve failed');
  }
}

/** An error of the application may be one that throws when somebody looks at it. */
function labelOf(error: unknown): string {
  try {
    return failureLabel(error);
  } catch {
    return 'an error that cannot be read was thrown';
  }
}

/** The error of a call whose own time ended first. */
export function accountTooLate(): PaymentsAccountError {
  return new PaymentsAccountError(
    'ACCOUNT_UNAVAILABLE',
    "The call's deadlineMs was over before accounts.resolve answered, so this call sent nothing.",
    { hint: 'Make the same call again, or give it a longer deadlineMs.' },
  );
}

function unavailable(account: string, problem: string): PaymentsAccountError {
  return new PaymentsAccountError(
    'ACCOUNT_UNAVAILABLE',
    `The account '${account}' is not available, so this call sent nothing: ${problem}.`,
    { hint: 'Make the same call again when accounts.resolve works.' },
  );
}

/** The error for options that the package refuses. The journal of the account may know an earlier call of the payment. */
function wrongAnswer({ message }: PaymentsConfigError): PaymentsError {
  return notByThisCall(
    new PaymentsConfigError(message),
    'Correct what accounts.resolve returns, then make the same call again.',
  );
}

/** The error of work that belongs to an environment of which the account has no keys now. */
export function otherEnvironment({ account, environment }: InboxScope): PaymentsAccountError {
  return new PaymentsAccountError(
    'ACCOUNT_UNAVAILABLE',
    `This is work of the ${environment} environment, and the keys that accounts.resolve returns for the account '${account}' are ` +
      'of another one, so this call sent nothing.',
    { hint: `Make the same call again when it returns keys of the ${environment} environment.` },
  );
}

/** The error of work that belongs to another environment than a registered account. Its keys stay as they are. */
export function registeredElsewhere({ account, environment }: InboxScope): PaymentsAccountError {
  return new PaymentsAccountError(
    'ACCOUNT_UNKNOWN',
    `This is work of the ${environment} environment, and the account '${account}' is registered with keys of another one, so this ` +
      'call sent nothing.',
    { hint: `Make the call in an application with keys of the ${environment} environment.` },
  );
}

export function unknownAccount(account: string): PaymentsAccountError {
  return new PaymentsAccountError(
    'ACCOUNT_UNKNOWN',
    `There is no account '${account}', so this call sent nothing: accounts.resolve does not know it.`,
    { hint: 'If it was added just now, call PaymentsAccounts.forget() with its name.' },
  );
}
