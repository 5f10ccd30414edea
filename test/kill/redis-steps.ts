import { type Step } from './steps.js';
import { outcomeOf, type Outcome } from './plan.js';

/** An entry as the package keeps it in Redis. */
interface Entry {
  readonly event: string;
  readonly state: 'running' | 'open' | 'done';
  readonly token?: string;
  readonly lease?: number;
  readonly attempt?: number;
  /** An empty table of Lua is written as an object. */
  readonly finished?: readonly string[] | object;
}

const INBOX = ':inbox';
const FIELD = /^outcome:"(order-\d{6})"$/;

/**
 * The changes of the inbox's entries, from the file in which Redis writes down each command that changes something.
 *
 * @param file The append-only file.
 * @param leaseMs How long a claim holds: the entry says only until when.
 */
export function redisSteps(file: Buffer, leaseMs: number): Step[] {
  const steps: Step[] = [];
  const last = new Map<string, Step>();
  for (const [name = '', key = '', ...texts] of commandsOf(file)) {
    if (!key.endsWith(INBOX)) continue;
    const command = name.toLowerCase();
    const changes =
      command === 'hset' ? pairs(texts) : command === 'hdel' ? texts.map((field) => [field]) : [];
    for (const [field = '', value] of changes) {
      const reference = FIELD.exec(field)?.[1];
      if (reference === undefined) continue;
      const before = last.get(reference);
      const step = value === undefined ? before && gone(before) : stepOf(reference, value, before, leaseMs);
      if (!step) continue;
      steps.push(step);
      last.set(reference, step);
    }
  }
  return steps;
}

/** What ended no longer says everything: the rest is as it was before. */
function stepOf(reference: string, value: string, before: Step | undefined, leaseMs: number): Step {
  const entry = JSON.parse(value) as Entry;
  const outcome: Outcome = outcomeOf(entry.event);
  const same = before?.outcome === outcome ? before : undefined;
  const leaseUntil = entry.lease ?? same?.leaseUntil ?? 0;
  return {
    reference,
    outcome,
    state: entry.state,
    owner: entry.token ?? same?.owner ?? '',
    attempt: entry.attempt ?? same?.attempt ?? 0,
    finished: Array.isArray(entry.finished) ? (entry.finished as readonly string[]) : [],
    changedAt: leaseUntil - leaseMs,
    leaseUntil,
  };
}

function gone(before: Step): Step {
  return { ...before, state: 'gone' };
}

/** Commands as arrays of texts; a last one that is cut off was never answered. */
function* commandsOf(file: Buffer): Generator<readonly string[]> {
  let at = 0;
  const line = (): string => {
    const end = file.indexOf('\r\n', at);
    const text = end < 0 ? '' : file.toString('latin1', at, end);
    at = end < 0 ? file.length : end + 2;
    return text;
  };
  while (at < file.length) {
    const head = line();
    // Notes of the time begin with a hash sign.
    if (!head.startsWith('*')) continue;
    const texts: string[] = [];
    for (let left = Number(head.slice(1)); left > 0 && at < file.length; left -= 1) {
      const length = Number(line().slice(1));
      texts.push(file.toString('utf8', at, at + length));
      at += length + 2;
    }
    if (at <= file.length) yield texts;
  }
}

function pairs(texts: readonly string[]): string[][] {
  return texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1] ?? '']] : []));
}
