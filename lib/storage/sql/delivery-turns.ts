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

/** The turn of the delivery whose handlers run. */
const handling = new AsyncLocalStorage<DeliveryTurn>();

/** The right of one delivery to hold a connection of the pool. */
export class DeliveryTurn {
  /** Of a delivery that a handler causes, such as a release: it would wait in vain for the turn of that handler. */
  private readonly inner = new Turns(1);
  private isOver = false;

  private constructor(
    private readonly pool: object,
    private readonly turns: Turns,
  ) {}

  /**
   * Waits until a delivery may take a connection of the pool.
   *
   * @param poolSize Most connections of the pool; undefined if it does not say.
   * @throws PaymentsStorageError if it takes as long as a free connection may.
   */
  static async take(pool: object, poolSize: number | undefined): Promise<DeliveryTurn> {
    const outer = handling.getStore();
    const isInner = outer?.pool === pool && !outer.isOver;
    const turns = isInner ? outer.inner : turnsOfPool(pool, poolSize);
    await turns.take(WITHIN_MS, () => tooManyError(turns.atOnce));
    return new DeliveryTurn(pool, turns);
  }

  /** Runs the handlers of the delivery. */
  runHandlers<T>(handlers: () => T): T {
    return handling.run(this, handlers);
  }

  /** Called when the delivery has given its connection back; further calls change nothing. */
  give(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.turns.give();
  }
}

function turnsOfPool(pool: object, poolSize: number | undefined): Turns {
  const turns = turnsOf.get(pool) ?? new Turns(deliveriesAtOnce());
  turnsOf.set(pool, turns);
  // Another storage may have had to guess.
  if (poolSize !== undefined) turns.atOnce = deliveriesAtOnce(poolSize);
  return turns;
}

function tooManyError(atOnce: number): PaymentsStorageError {
  const held = atOnce === 1 ? 'the connection' : `one of the ${atOnce} connections`;
  return new PaymentsStorageError(
    `Waited ${WITHIN_MS} ms in vain for ${held} of the pool that webhook deliveries may hold, which is half of it: make the handlers ` +
      'shorter or the pool larger. Kysely and Prisma do not say how large it is: write poolSize into the executor.',
  );
}
