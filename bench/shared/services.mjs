import { connect } from 'node:net';

export const REDIS = { name: 'Redis', url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' };
export const POSTGRES = {
  name: 'PostgreSQL',
  url: process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test',
};

export const MARIADB = {
  name: 'MariaDB',
  url: process.env.MYSQL_URL ?? 'mysql://root@127.0.0.1:3306/test',
};

/** Whether whoever sees that every figure runs has said that every server is here. */
const IS_REQUIRED = process.argv.includes('--smoke') && process.env.REQUIRE_SERVICES === '1';

/**
 * Why a server cannot be measured here; undefined where it can.
 *
 * @throws Error if it must be here.
 */
export async function absence({ name, url }) {
  const { hostname, port, host } = new URL(url);
  const reachable = await new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: 2_000 });
    for (const event of ['connect', 'timeout', 'error']) {
      socket.once(event, () => {
        socket.destroy();
        resolve(event === 'connect');
      });
    }
  });
  if (reachable) return undefined;
  const absent = `${name} was not measured: nothing answers at ${host}.`;
  if (IS_REQUIRED) throw new Error(absent);
  return absent;
}
