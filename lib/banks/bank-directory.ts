import { withDeadline } from '../common/timing.js';
import { type ResolvedBankDirectory } from '../config/resolved-options.js';
import { GatewayAnswerError, isPaymentsError } from '../errors/payments-errors.js';
import { type LastResponse, type PaymentsResponse, withLastResponse } from '../gateway/answer/wire-record.js';
import { type CallLimits, type CallOptions } from '../gateway/call-options.js';
import { type Bank } from './bank.js';

/** Otherwise, after a failure, every call would wait for the silent gateway before it gets the old list. */
const ASK_AGAIN_MS = 30_000;

interface KeptList {
  readonly banks: readonly Bank[];
  readonly lastResponse: LastResponse;
  readonly receivedAt: number;
}

/** Asks the gateway. */
type Ask = (options: TryOptions) => Promise<PaymentsResponse<Bank[]>>;
type TryOptions = Pick<CallOptions, 'timeoutMs' | 'retry'>;
type WaitLimits = Pick<CallLimits, 'signal' | 'deadline'>;

interface Failure {
  readonly code: string;
  readonly at: number;
}

/** Whether a list of this age may be returned at once, only if the gateway fails, or not at all. */
export function usefulness(
  ageMs: number,
  { maxAgeMs, staleIfErrorMs }: ResolvedBankDirectory,
): 'fresh' | 'stale' | 'expired' {
  if (ageMs < maxAgeMs) return 'fresh';
  return ageMs < maxAgeMs + staleIfErrorMs ? 'stale' : 'expired';
}

/** Caches the list of banks of one account. */
export class BankDirectory {
  private kept: KeptList | undefined;
  private failure: Failure | undefined;
  /** The requests that run, by the options of their tries. */
  private readonly asking = new Map<string, Promise<PaymentsResponse<Bank[]>>>();

  constructor(private readonly limits: ResolvedBankDirectory) {}

  /** @param limits End only the wait of this call. */
  async list(ask: Ask, options: TryOptions, limits: WaitLimits): Promise<PaymentsResponse<Bank[]>> {
    const { kept, failure } = this;
    if (kept && this.usefulness(kept) === 'fresh') return again(kept);
    if (
      kept &&
      this.usefulness(kept) === 'stale' &&
      failure &&
      performance.now() - failure.at < ASK_AGAIN_MS
    ) {
      return this.staleAnswer(kept, failure);
    }
    try {
      const banks = await this.answer(ask, options, limits);
      const { lastResponse } = banks;
      return again({ banks, lastResponse }, lastResponse.attempts);
    } catch (error) {
      return this.afterFailure(error);
    }
  }

  /** Calls at once with the same tries share one request, which no signal and no deadline of theirs ends. */
  private async answer(
    ask: Ask,
    { timeoutMs, retry }: TryOptions,
    { signal, deadline }: WaitLimits,
  ): Promise<PaymentsResponse<Bank[]>> {
    const key = JSON.stringify([timeoutMs, retry]);
    const running = this.asking.get(key) ?? this.begin(key, ask({ timeoutMs, retry }));
    const waited = await withDeadline(running, deadline, signal);
    if (waited.ended === 'done') return waited.value;
    throw waited.ended === 'aborted' ? signal?.reason : tooLate();
  }

  private begin(key: string, answer: ReturnType<Ask>): Promise<PaymentsResponse<Bank[]>> {
    const running = answer
      .then((banks) => this.keep(banks))
      .finally(() => {
        this.asking.delete(key);
      });
    this.asking.set(key, running);
    return running;
  }

  /** Returns an empty list without caching it: it is more likely an outage than the end of all banks. */
  private keep(banks: PaymentsResponse<Bank[]>): PaymentsResponse<Bank[]> {
    this.failure = undefined;
    if (banks.length > 0) {
      const { lastResponse } = banks;
      this.kept = { banks: banks.map(copyOf), lastResponse, receivedAt: performance.now() };
    }
    return banks;
  }

  /** Throws errors of wrong keys or wrong calls, which an old list would hide. */
  private afterFailure(error: unknown): PaymentsResponse<Bank[]> {
    const { kept } = this;
    if (!isPaymentsError(error) || !error.retryable) throw error;
    if (!kept || this.usefulness(kept) === 'expired') throw error;
    this.failure = { code: error.code, at: performance.now() };
    return this.staleAnswer(kept, this.failure, error.attempts);
  }

  private staleAnswer(
    kept: KeptList,
    { code }: Failure,
    attempts: LastResponse['attempts'] = [],
  ): PaymentsResponse<Bank[]> {
    const seconds = Math.floor((performance.now() - kept.receivedAt) / 1_000);
    return again(kept, attempts, [
      `the gateway could not list its banks (${code}): this list is ${seconds} s old`,
    ]);
  }

  private usefulness({ receivedAt }: KeptList): ReturnType<typeof usefulness> {
    return usefulness(performance.now() - receivedAt, this.limits);
  }
}

function tooLate(): GatewayAnswerError {
  return new GatewayAnswerError('NO_ANSWER', "The list of banks did not come within the call's deadlineMs.", {
    operation: 'banks.list',
    hint: 'Make the same call again: the request continues, and the package keeps its answer.',
  });
}

/** A field that nobody knows may be nested too deeply to be copied. It is shared: the list must not fail for it. */
function copyOf(bank: Bank): Bank {
  try {
    return structuredClone(bank);
  } catch {
    return Object.assign({}, bank);
  }
}

/** Copies the list, so that no caller changes another caller's list. */
function again(
  { banks, lastResponse }: Pick<KeptList, 'banks' | 'lastResponse'>,
  attempts: LastResponse['attempts'] = [],
  warnings: readonly string[] = [],
): PaymentsResponse<Bank[]> {
  return withLastResponse(banks.map(copyOf), {
    ...lastResponse,
    attempts,
    warnings: [...lastResponse.warnings, ...warnings],
  });
}
