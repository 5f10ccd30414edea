import { AsyncResource } from 'node:async_hooks';
import { type EventEmitter } from 'node:events';
import { type Callback, isCallback, isSubmittable, type QueryClient } from './handler-client.js';
import { POOL } from '../sql/application-pool.js';
import { isOwnStatement } from '../sql/own-statements.js';
import { OwnerContext } from '../sql/owner-context.js';
import { checkedPool } from './postgres-options.js';
import { type PostgresClient, type PostgresPool } from './postgres-pool.js';

/** The delivery whose handlers run, as their checkouts of the pool need it. */
export interface HandlerConnection {
  /** A checkout of the delivery's connection. Throws if the delivery is over. */
  readonly checkOut: () => PostgresClient;
}

/** The deliveries whose handlers run, by the mark of their pool. */
type Handling = OwnerContext<object, HandlerConnection>;

/**
 * The mark of a pool that has a view. On the pool, and not in this file, like what follows: an application may load the package
 * twice, once as ESM and once as CommonJS, and may give a wrapper of its own to the storage.
 */
const MARK = Symbol.for('nestjs-payments.postgres.view');
const HANDLING = Symbol.for('nestjs-payments.postgres.handling');
const shared = globalThis as unknown as { [HANDLING]: Handling | undefined };
const handling: Handling = shared[HANDLING] ?? new OwnerContext();
shared[HANDLING] = handling;

/**
 * The application's pool of `pg`, as a view that is aware of webhook handlers. Give it to an ORM (Drizzle,
 * Kysely, Knex, Prisma 7; TypeORM takes `typeOrmDriver()`), and everything that code inside of a handler
 * writes through that ORM, injected repositories too, belongs to the webhook's transaction: it is committed
 * with the record of the delivery, or undone with it.
 *
 * Inside of a handler, with `postgresStorage({ pool, transactional: true })` on the same pool, `connect()` and
 * `query()` give the connection of the delivery. BEGIN, COMMIT and ROLLBACK begin and end a savepoint there,
 * `release()` does nothing, and what the handlers write needs no second connection. Work that still runs when
 * the handlers have ended is refused with a `PaymentsStorageError`. Everywhere else the view is the pool itself, also for
 * what `sqlStorage()` of another account writes through an ORM on it.
 *
 * @throws PaymentsConfigError if `pool` is no pool.
 *
 * @example
 * ```ts
 * const pool = new Pool();
 * const storage = postgresStorage({ pool, transactional: true });
 * const view = paymentsPool(pool); // drizzle(view), new PrismaPg(view), new PostgresDialect({ pool: view })
 * ```
 *
 * @publicApi
 */
export function paymentsPool<P extends PostgresPool>(pool: P): P {
  const target = checkedPool('paymentsPool(pool)', pool) as P & Record<string, unknown>;
  const mark = markOf(target);
  const view: P = new Proxy(target, {
    get: (_, name) => {
      if (name === POOL) return target;
      const member: unknown = Reflect.get(target, name, target);
      const isOwn = name !== 'connect' && name !== 'query' && Object.hasOwn(target, name);
      // Own properties of a pool, such as the classes of its options, are returned as they are.
      if (typeof member !== 'function' || name === 'constructor' || isOwn) return member;
      return (...given: unknown[]) => {
        // The records of an account must not wait for the commit of another one's handler.
        const running = isOwnStatement() ? undefined : handling.get(mark);
        if (running && name === 'connect') return connect(running, given.find(isCallback));
        if (running && name === 'query') return query(running, given);
        // A pool calls a callback in the async context of the code that releases a connection, maybe a handler.
        const isAsked = name === 'connect' || name === 'query';
        const bound = isAsked
          ? given.map((value) => (isCallback(value) ? AsyncResource.bind(value) : value))
          : given;
        const result: unknown = Reflect.apply(member, target, bound);
        return result === target ? view : result;
      };
    },
  });
  return view;
}

/**
 * What the option `driver` of a TypeORM `DataSource` takes, so that TypeORM uses the application's pool through
 * {@link paymentsPool}. `DataSource.destroy()` leaves the pool open: the application ends it.
 *
 * @throws PaymentsConfigError if `pool` is no pool.
 *
 * @example
 * ```ts
 * // What TypeOrmModule.forRoot() and new DataSource() take:
 * const pool = new Pool(); // ends with the application: await pool.end()
 * const source = { type: 'postgres', driver: typeOrmDriver(pool), autoLoadEntities: true };
 * ```
 *
 * @publicApi
 */
export function typeOrmDriver(pool: PostgresPool): object {
  const view = paymentsPool(checkedPool('typeOrmDriver(pool)', pool));
  return {
    // TypeORM calls it with `new`, which gives the object that the function returns.
    Pool: function Pool() {
      return lentPool(view);
    },
  };
}

const ignoreLoss = (): void => undefined;

/** The pool for one `DataSource`, whose `end()` leaves the pool open, and takes the listeners of the `DataSource` from it. */
function lentPool(view: PostgresPool): PostgresPool {
  const pool = view as unknown as EventEmitter;
  const added: Parameters<EventEmitter['on']>[] = [];
  const members: Readonly<Record<PropertyKey, unknown>> = {
    on: (...listener: Parameters<EventEmitter['on']>) => {
      added.push(listener);
      pool.on(...listener);
      return lent;
    },
    end: (callback?: Callback) => {
      for (const listener of added.splice(0)) pool.off(...listener);
      // Without any listener, an idle connection that breaks later would end the process.
      if (pool.listenerCount('error') === 0) pool.on('error', ignoreLoss);
      if (!callback) return Promise.resolve();
      process.nextTick(callback, null);
      return undefined;
    },
  };
  const lent = new Proxy(view, {
    get: (target, name) =>
      Object.hasOwn(members, name) ? members[name] : (Reflect.get(target, name) as unknown),
  });
  return lent;
}

/** Runs handlers, whose checkouts of a view get the connection of their delivery. */
export function runHandlers<T>(pool: PostgresPool, connection: HandlerConnection, handlers: () => T): T {
  const mark = (pool as { readonly [MARK]?: object })[MARK];
  return mark ? handling.run(mark, connection, handlers) : handlers();
}

function markOf(pool: PostgresPool & { readonly [MARK]?: object }): object {
  const mark = pool[MARK] ?? {};
  if (!pool[MARK]) Object.defineProperty(pool, MARK, { value: mark });
  return mark;
}

function connect(running: HandlerConnection, callback?: (...given: unknown[]) => void): unknown {
  const connecting = new Promise<PostgresClient>((resolve) => {
    resolve(running.checkOut());
  });
  if (!callback) return connecting;
  connecting.then(
    (client) => {
      process.nextTick(callback, undefined, client, (error: unknown) => {
        client.release(Boolean(error));
      });
    },
    (error: unknown) => {
      process.nextTick(callback, error, undefined, () => undefined);
    },
  );
  return undefined;
}

/** Resolves also for a cursor, as the pool of `pg` does. */
function query(running: HandlerConnection, given: readonly unknown[]): unknown {
  const callback = given.find(isCallback);
  const run = (client: PostgresClient, ...more: unknown[]): unknown =>
    (client.query as unknown as QueryClient)(...given.filter((value) => !isCallback(value)), ...more);
  const result = new Promise((resolve, reject) => {
    const client = running.checkOut();
    const settle: Callback = (error, value) => {
      if (error instanceof Error) reject(error);
      else resolve(value);
    };
    if (isSubmittable(given[0])) run(client, settle);
    else resolve(run(client));
  });
  if (!callback) return result;
  result.then(
    (value) => {
      process.nextTick(callback, undefined, value);
    },
    (error: unknown) => {
      process.nextTick(callback, error);
    },
  );
  return undefined;
}
