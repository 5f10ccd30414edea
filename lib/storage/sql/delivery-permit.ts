import { AsyncLocalStorage } from 'node:async_hooks';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { WITHIN_MS } from './statement-timeout.js';
import { Semaphore } from './semaphore.js';

/** What most drivers and ORMs open, unless their application says a number. */
const USUAL_POOL_SIZE = 10;

/**
 * How many deliveries may hold a connection of the pool at once. Half of the pool stays free, because a handler that
 * pays needs a second connection: deliveries that hold all of them would wait for each other.
 */
export function deliveriesAtOnce(poolSize = USUAL_POOL_SIZE): number {
  return Math.max(1, Math.floor(poolSize / 2));
}

/** The semaphore of each pool, which several storages may share. */
const semaphores = new WeakMap<object, Semaphore>();

/** The permit of the delivery whose handlers run. */
const handling = new AsyncLocalStorage<DeliveryPermit>();

/** The right of one delivery to hold a connection of the pool. */
export class DeliveryPermit {
  /** For a delivery that a handler causes, such as a release: it would wait in vain for the permit of that handler. */
  private readonly inner = new Semaphore(1);
  private isOver = false;

  private constructor(
    private readonly pool: object,
    private readonly semaphore: Semaphore,
  ) {}

  /**
   * Waits until a delivery may take a connection of the pool.
   *
   * @param poolSize Most connections of the pool; undefined if it does not say.
   * @throws PaymentsStorageError if it takes as long as a free connection may.
   */
  static async acquire(pool: object, poolSize: number | undefined): Promise<DeliveryPermit> {
    const outer = handling.getStore();
    const isInner = outer?.pool === pool && !outer.isOver;
    const semaphore = isInner ? outer.inner : semaphoreOf(pool, poolSize);
    await semaphore.acquire(WITHIN_MS, () => tooManyError(semaphore.permits));
    return new DeliveryPermit(pool, semaphore);
  }

  /** Runs the handlers of the delivery. */
  runHandlers<T>(handlers: () => T): T {
    return handling.run(this, handlers);
  }

  /** Called when the delivery has given its connection back; further calls change nothing. */
  release(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.semaphore.release();
  }
}

function semaphoreOf(pool: object, poolSize: number | undefined): Semaphore {
  const semaphore = semaphores.get(pool) ?? new Semaphore(deliveriesAtOnce());
  semaphores.set(pool, semaphore);
  // Another storage of the pool may have guessed its size.
  if (poolSize !== undefined) semaphore.permits = deliveriesAtOnce(poolSize);
  return semaphore;
}

function tooManyError(atOnce: number): PaymentsStorageError {
  const held = atOnce === 1 ? 'the connection' : `one of the ${atOnce} connections`;
  return new PaymentsStorageError(
    `Timed out after ${WITHIN_MS} ms waiting for ${held} of the pool that webhook deliveries may hold, which is half of it: make the handlers ` +
      'shorter or the pool larger. Kysely and Prisma do not say how large it is: write poolSize into the executor.',
  );
}
