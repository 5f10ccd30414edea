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

/** Why a server cannot be measured here; undefined where it can. */
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
  return reachable ? undefined : `${name} was not measured: nothing answers at ${host}.`;
}
