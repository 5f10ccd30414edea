import { createHash } from 'node:crypto';
import { NETWORK_FAULTS, type NetworkFault } from '../support/faulty-proxy.js';

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

/** Where a replica may stand still (SIGSTOP) for longer than its lease. */
export const STOP_POINTS = ['after the claim', 'after the effect', 'before the finish'] as const;
export type StopPoint = (typeof STOP_POINTS)[number];

/** Which request of an event the network breaks: the first claim, or the first try to record its end. */
export const BROKEN_REQUESTS = ['claim', 'record'] as const;
export type BrokenRequest = (typeof BROKEN_REQUESTS)[number];

/** A storage under test. */
interface StorageUnderTest {
  readonly server: 'postgres' | 'redis';
  /** Effects are rows that commit with the claim: exactly once. */
  readonly isTransactional: boolean;
  /** The effects are written by an ORM of `test/orms`, with what the application injects or with `context.transaction`. */
  readonly orm?: 'injected TypeORM' | 'injected Prisma' | "TypeORM's transaction";
}

export type StorageMode =
  'postgres' | 'postgres-plain' | 'typeorm' | 'typeorm-injected' | 'prisma-injected' | 'redis' | 'bullmq';

export const STORAGES: Readonly<Record<StorageMode, StorageUnderTest>> = {
  postgres: { server: 'postgres', isTransactional: true },
  'postgres-plain': { server: 'postgres', isTransactional: false },
  typeorm: { server: 'postgres', isTransactional: true, orm: "TypeORM's transaction" },
  'typeorm-injected': { server: 'postgres', isTransactional: true, orm: 'injected TypeORM' },
  'prisma-injected': { server: 'postgres', isTransactional: true, orm: 'injected Prisma' },
  redis: { server: 'redis', isTransactional: false },
  bullmq: { server: 'redis', isTransactional: false },
};

export const OUTCOMES = ['success', 'failed', 'cancelled', 'expired'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What a run is made of; the same settings make the same plan in every process. */
export interface Size {
  readonly events: number;
  readonly kills: number;
  readonly stops: number;
  readonly networkFaults: number;
  /** Whether some references get contradictory outcomes, releases and purges. */
  readonly contradictions: boolean;
  readonly seed: string;
}

export interface Plan {
  readonly references: readonly string[];
  /** At which event a replica dies, and where; each once. */
  readonly crashPoints: ReadonlyMap<string, KillPoint>;
  /** How many kills have nothing to do with what the replica does. */
  readonly randomKills: number;
  /** At which event a replica stands still, and where; each once. */
  readonly stopPoints: ReadonlyMap<string, StopPoint>;
  readonly randomStops: number;
  /** Which request of which event the network breaks, and how; each once. */
  readonly networkFaults: ReadonlyMap<string, PlannedFault>;
}

export interface PlannedFault {
  readonly request: BrokenRequest;
  readonly fault: NetworkFault;
}

/** What goes wrong in one run of the handlers, beside deaths. */
export type Trouble = 'none' | 'throws early' | 'throws late' | 'outlives its lease' | 'is slow';

/** What is planned at an event; the rest happens at random moments. */
const NAMED_SHARE = 0.6;
const FAILING_SHARE = 0.1;
const SLOW_SHARE = 0.01;
const JOURNALLED_SHARE = 1 / 3;
const CONTRADICTED_SHARE = 0.15;
const OPERATED_SHARE = 0.3;

const FAULTS: readonly PlannedFault[] = NETWORK_FAULTS.flatMap((fault) =>
  BROKEN_REQUESTS.map((request) => ({ request, fault })),
);

/** @throws RangeError if a number is so small that nothing of its kind would be planned. 0 plans none on purpose. */
export function planOf({ events, kills, stops, networkFaults, seed }: Size): Plan {
  // All of one length: none is part of another one.
  const references = Array.from({ length: events }, (_, index) => `order-${100_000 + index}`);
  const byLot = [...references].sort((one, other) => lot(seed, 'fate', one) - lot(seed, 'fate', other));
  const each = <Point>(count: number, points: readonly Point[]): ReadonlyMap<string, Point> => {
    const rounds = Math.floor(count / points.length);
    if (count > 0 && rounds === 0)
      throw new RangeError(`${count} are too few for each of: ${inWords(points)}.`);
    const struck = byLot.splice(0, rounds * points.length);
    return new Map(struck.map((reference, index) => [reference, points[index % points.length]!]));
  };
  const crashPoints = each(kills * NAMED_SHARE, KILL_POINTS);
  const stopPoints = each(stops * NAMED_SHARE, STOP_POINTS);
  return {
    references,
    crashPoints,
    randomKills: kills - crashPoints.size,
    stopPoints,
    randomStops: stops - stopPoints.size,
    networkFaults: each(networkFaults, FAULTS),
  };
}

function inWords(points: readonly unknown[]): string {
  return points.map((point) => (typeof point === 'string' ? point : JSON.stringify(point))).join(', ');
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
  return lot(seed, 'journalled', reference) < JOURNALLED_SHARE;
}

/** The outcomes that are delivered for a reference at the same time, the first one to the first replica. */
export function deliveriesOf(
  { seed, contradictions }: Size,
  reference: string,
  count: number,
): readonly Outcome[] {
  const contradicted = contradictions && lot(seed, 'contradicted', reference) < CONTRADICTED_SHARE;
  const first = contradicted ? Math.floor(lot(seed, 'first', reference) * OUTCOMES.length) : 0;
  return Array.from({ length: count }, (_, index) =>
    contradicted ? OUTCOMES[(first + index) % OUTCOMES.length]! : 'success',
  );
}

/**
 * What an operator does once everything about a reference was answered: release an outcome that was set aside, or purge the
 * inbox, after which the outcomes are delivered again. Only what the journal knows survives a purge.
 */
export function operationOn(size: Size, reference: string): 'release' | 'purge' | undefined {
  const { seed, contradictions } = size;
  if (!contradictions || lot(seed, 'operated', reference) >= OPERATED_SHARE) return undefined;
  const isContradicted = new Set(deliveriesOf(size, reference, OUTCOMES.length)).size > 1;
  if (isContradicted) return 'release';
  return isJournalled(seed, reference) ? 'purge' : undefined;
}

/** The outcome that an event is about: `payment.success` is about a success. */
export function outcomeOf(event: string): Outcome {
  return event.slice('payment.'.length) as Outcome;
}

/** A number from 0 on, below 1, that belongs to these words. */
export function lot(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(JSON.stringify(words)).digest().readUInt32BE() / 2 ** 32;
}
