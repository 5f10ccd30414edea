import { FREE_CONNECTION, tooLate, WITHIN_MS } from './answered.js';
import { Turns } from './turns.js';

/** What most drivers and ORMs open, unless their application says a number. */
const USUAL_POOL_SIZE = 10;

/**
 * How many deliveries may hold a connection of the pool at once. Half of the pool stays free, because a handler that
 * pays needs a second connection: deliveries that hold all of them would wait for each other.
 */
export function deliveriesAtOnce(poolSize = USUAL_POOL_SIZE): number {
  return Math.max(1, Math.floor(poolSize / 2));
}

/** Those of each pool, which several storages may use. */
const turnsOf = new WeakMap<object, Turns>();

/**
 * Waits until a delivery may take a connection of the pool, and returns what gives the turn back, once.
 *
 * @param poolSize Most connections of the pool; undefined if it does not say.
 * @throws PaymentsStorageError if it takes as long as a free connection may.
 */
export async function takeDeliveryTurn(
  pool: object,
  poolSize: () => number | undefined,
): Promise<() => void> {
  const turns = turnsOf.get(pool) ?? new Turns(() => deliveriesAtOnce(poolSize()));
  turnsOf.set(pool, turns);
  await turns.take(WITHIN_MS, () => tooLate(FREE_CONNECTION));
  let isGiven = false;
  return () => {
    if (isGiven) return;
    isGiven = true;
    turns.give();
  };
}
