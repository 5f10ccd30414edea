import { AsyncLocalStorage } from 'node:async_hooks';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { WITHIN_MS } from './answered.js';
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

/** The pool of the delivery whose handlers run. */
const handling = new AsyncLocalStorage<object>();

/**
 * Waits until a delivery may take a connection of the pool, and returns what gives the turn back, once.
 *
 * @param poolSize Most connections of the pool; undefined if it does not say.
 * @throws PaymentsStorageError if it takes as long as a free connection may.
 */
export async function takeDeliveryTurn(pool: object, poolSize: number | undefined): Promise<() => void> {
  // A delivery that a handler causes, such as a release, would wait for the turn of that handler.
  if (handling.getStore() === pool) return () => undefined;
  const atOnce = deliveriesAtOnce(poolSize);
  const turns = turnsOf.get(pool) ?? new Turns(atOnce);
  turnsOf.set(pool, turns);
  await turns.take(WITHIN_MS, () => tooManyError(atOnce));
  let isGiven = false;
  return () => {
    if (isGiven) return;
    isGiven = true;
    turns.give();
  };
}

/** Runs the handlers of a delivery that has a turn of the pool. */
export function runWithTurn<T>(pool: object, handlers: () => T): T {
  return handling.run(pool, handlers);
}

function tooManyError(atOnce: number): PaymentsStorageError {
  const held = atOnce === 1 ? 'the connection' : `one of the ${atOnce} connections`;
  return new PaymentsStorageError(
    `Waited ${WITHIN_MS} ms in vain for ${held} of the pool that webhook deliveries may hold, which is half of it: make the handlers ` +
      'shorter or the pool larger. Kysely and Prisma do not say how large it is: write poolSize into the executor.',
  );
}
