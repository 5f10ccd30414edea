import { type SignatureVerdict } from '../../common/webhook-scheme.js';

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
