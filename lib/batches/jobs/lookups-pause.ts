import { type BatchPause } from '../batch/batch-details.js';

/** Half an hour, with a look every 30 seconds: then it is no short outage, and a person has to know. */
const MOST_LOOKS = 60;
/** How many lines a reason names: it is one line of a log. */
export const MOST_NAMED = 10;

/** What is left of a run when the gateway gives no usable answers about the recipients of its last lines. */
export interface OpenLookups {
  /** The keys of the first lines that were not sent. */
  readonly keys: readonly string[];
  /** How many lines were not sent. */
  readonly lines: number;
  /** How many lines this run sent. */
  readonly sent: number;
  /** See `BatchPause.looks`: that of the pause before this run. */
  readonly looksBefore: number;
}

/**
 * The pause of a batch that waits for lookups. A short outage and a bank that is down look the same. So the batch continues by
 * itself first, and waits for a person if nothing was sent for many runs.
 */
export function lookupsPause({ keys, lines, sent, looksBefore }: OpenLookups): BatchPause {
  const others = lines > keys.length ? ` and ${lines - keys.length} others` : '';
  const problem = `The gateway gives no usable answers about recipients, so these lines were not sent: ${keys.join(', ')}${others}.`;
  const looks = sent > 0 ? 1 : looksBefore + 1;
  if (looks > MOST_LOOKS) return { reason: `${problem} Resume the batch to ask again, or cancel it.` };
  return { reason: `${problem} They are looked up again in a moment.`, until: 'gateway', looks };
}
