import { createHash } from 'node:crypto';

/** Where a replica may be killed while it works on an event. */
export const KILL_POINTS = [
  'before the claim',
  'after the claim',
  'in the handler',
  'after the effect',
  'before the finish',
  'before the answer',
] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

export const STORAGES = ['postgres', 'postgres-plain', 'redis', 'bullmq'] as const;
export type StorageMode = (typeof STORAGES)[number];

/** What a run is made of; the same settings make the same plan in every process. */
export interface Size {
  readonly events: number;
  readonly kills: number;
  readonly seed: string;
}

export interface Plan {
  readonly references: readonly string[];
  /** Which event is the death of a replica, and where; each once. */
  readonly dooms: ReadonlyMap<string, KillPoint>;
  /** How many kills have nothing to do with what the replica does. */
  readonly randomKills: number;
}

/** What goes wrong in one run of the handlers, beside deaths. */
export type Trouble = 'none' | 'throws early' | 'throws late' | 'outlives its lease' | 'is slow';

const NAMED_SHARE = 0.6;
const FAILING_SHARE = 0.1;
const SLOW_SHARE = 0.01;

export function planOf({ events, kills, seed }: Size): Plan {
  const references = Array.from({ length: events }, (_, index) => `order-${index + 1}`);
  const named = Math.floor((kills * NAMED_SHARE) / KILL_POINTS.length) * KILL_POINTS.length;
  const byLot = [...references].sort((one, other) => lot(seed, 'doom', one) - lot(seed, 'doom', other));
  const doomed = byLot.slice(0, named);
  const dooms = new Map(doomed.map((each, index) => [each, KILL_POINTS[index % KILL_POINTS.length]!]));
  return { references, dooms, randomKills: kills - dooms.size };
}

/** @param attempt Which run of the handlers it is, 1 for the first. */
export function troubleOf(seed: string, reference: string, attempt: number): Trouble {
  if (attempt <= 2 && lot(seed, 'slow', reference) < SLOW_SHARE) {
    // The second one still runs when the first wants to be recorded.
    return attempt === 1 ? 'outlives its lease' : 'is slow';
  }
  const fate = lot(seed, 'failure', reference, attempt);
  if (fate >= FAILING_SHARE) return 'none';
  return fate < FAILING_SHARE / 2 ? 'throws early' : 'throws late';
}

/** Whether the merchant wrote the payment down before it was paid. */
export function isJournalled(seed: string, reference: string): boolean {
  return lot(seed, 'journalled', reference) < 1 / 3;
}

/** A number from 0 on, below 1, that belongs to these words. */
export function lot(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(JSON.stringify(words)).digest().readUInt32BE() / 2 ** 32;
}
