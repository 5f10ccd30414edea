import { followStatus } from '../sql/left-open.js';
import { type PostgresPool } from './postgres-pool.js';

/** A pool of `pg` emits each client that it hands out. */
interface SayingPool {
  on?(event: 'acquire', listener: (client: object) => void): unknown;
}

/** By pool: several storages may share one, and a pool warns of many listeners. */
const CLIENTS = new WeakMap<PostgresPool, WeakSet<object>>();

/** The clients that a pool hands out from now on. Their transactions are known from then on, whatever the version of `pg`. A pool of another kind may not say which. */
export function clientsOf(pool: PostgresPool): Pick<WeakSet<object>, 'has'> {
  const known = CLIENTS.get(pool);
  if (known) return known;
  const clients = new WeakSet();
  CLIENTS.set(pool, clients);
  (pool as SayingPool).on?.('acquire', (client) => {
    clients.add(client);
    followStatus(client);
  });
  return clients;
}
