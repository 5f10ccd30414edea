import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type SignatureVerdict } from '../../common/webhook-scheme.js';

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const UNITS = ['s', 'ms', 'iso'];

/** Refuses an option of one scheme. */
export type WrongOption = (option: string, problem: string) => never;

export function wrongOptionOf(scheme: string): WrongOption {
  return (option, problem) => {
    throw new PaymentsConfigError(`The option ${option} of ${scheme}() ${problem}.`);
  };
}

export function checkHeaderName(wrong: WrongOption, option: string, name: unknown): void {
  if (typeof name !== 'string' || !HEADER_NAME.test(name)) {
    wrong(option, "must be the name of an HTTP header, for example 'x-webhook-signature'");
  }
}

export function checkUnit(wrong: WrongOption, option: string, unit: unknown, units = UNITS): void {
  if (!units.includes(unit as string)) wrong(option, `must be one of ${units.join(', ')}`);
}

export function checkTolerance(wrong: WrongOption, option: string, seconds: unknown): void {
  if (!Number.isSafeInteger(seconds) || (seconds as number) < 1) {
    wrong(option, 'must be a whole number of seconds from 1 on: write 300');
  }
}

const THREW: SignatureVerdict = { ok: false, reason: 'the scheme threw an error' };

/**
 * Runs a check that may be the application's own: whatever it does, only a clear yes is one. A check that answers at once gets
 * its verdict at once. Never rejects.
 */
export function safeVerdict(
  check: () => SignatureVerdict | Promise<SignatureVerdict>,
): SignatureVerdict | Promise<SignatureVerdict> {
  try {
    const given = check() as SignatureVerdict | PromiseLike<SignatureVerdict> | null | undefined;
    return isPending(given) ? later(given) : clearVerdict(given);
  } catch {
    return THREW;
  }
}

function isPending(
  given: SignatureVerdict | PromiseLike<SignatureVerdict> | null | undefined,
): given is PromiseLike<SignatureVerdict> {
  return typeof (given as Partial<PromiseLike<SignatureVerdict>> | null | undefined)?.then === 'function';
}

async function later(given: PromiseLike<SignatureVerdict>): Promise<SignatureVerdict> {
  try {
    return clearVerdict(await given);
  } catch {
    return THREW;
  }
}

function clearVerdict(verdict: SignatureVerdict | null | undefined): SignatureVerdict {
  if (verdict?.ok === true) return verdict;
  return { ok: false, reason: verdict?.reason ?? 'the scheme gave no reason' };
}
