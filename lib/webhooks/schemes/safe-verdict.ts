import { type SignatureVerdict } from '../../common/webhook-scheme.js';

/** Runs a check that may be the application's own: whatever it does, only a clear yes is one. */
export async function safeVerdict(
  check: () => SignatureVerdict | Promise<SignatureVerdict>,
): Promise<SignatureVerdict> {
  try {
    const verdict = (await check()) as SignatureVerdict | null | undefined;
    if (verdict?.ok === true) return verdict;
    return { ok: false, reason: verdict?.reason ?? 'the scheme gave no reason' };
  } catch {
    return { ok: false, reason: 'the scheme threw an error' };
  }
}
