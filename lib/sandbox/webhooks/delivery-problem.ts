import { type SendResult } from './webhook-sender.js';

/** Why a try did not count as delivered: only 200 does (specification, "Events" rule 2). Null where it did. */
export function problemOf(result: SendResult): string | null {
  if ('problem' in result) return result.problem;
  if (result.status === 200) return null;
  if (result.status >= 300 && result.status < 400)
    return `answered ${result.status}: redirects are not followed`;
  return `answered ${result.status} instead of 200`;
}

/** The same for a try whose signature was forged, which never counts. */
export function problemOfForged(result: SendResult): string {
  if ('problem' in result) return result.problem;
  return result.status < 300
    ? `answered ${result.status} to a forged signature: the application does not verify webhooks`
    : `answered ${result.status}: its signature was forged on purpose`;
}
