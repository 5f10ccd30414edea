import { startChild } from '../shared/child.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { rowsOf, timesAtMost } from '../shared/result.mjs';
import { absence, MARIADB, POSTGRES } from '../shared/services.mjs';
import { percentile } from '../shared/statistics.mjs';

const TIMES = 100;
const MOST = 1.3;
const ORMS = [
  { name: 'Knex', orm: 'knex' },
  { name: 'Kysely', orm: 'kysely' },
  { name: 'Drizzle', orm: 'drizzle' },
  { name: 'MikroORM', orm: 'mikroOrm' },
  { name: 'Prisma', orm: 'prisma' },
  { name: 'Sequelize', orm: 'sequelize' },
];
const STORES = [
  { name: 'TypeORM on PostgreSQL', service: POSTGRES, store: 'typeorm', type: 'postgres' },
  { name: 'TypeORM on MariaDB', service: MARIADB, store: 'typeorm', type: 'mariadb' },
  ...ORMS.flatMap(({ name, orm }) => [
    { name: `${name} on PostgreSQL`, service: POSTGRES, store: 'executor', orm, dialect: 'postgres' },
    { name: `${name} on MariaDB`, service: MARIADB, store: 'executor', orm, dialect: 'mysql' },
  ]),
  { name: 'mysql2 on MariaDB', service: MARIADB, store: 'executor', orm: 'mysql2', dialect: 'mysql' },
];

export const title = "Claim and finish in the application's own database";

export async function measure(size) {
  const times = Math.ceil(TIMES * size.share);
  const results = [];
  const missing = new Set();
  for (const { service, ...store } of STORES) {
    const absent = await absence(service);
    if (absent) {
      missing.add(absent);
      continue;
    }
    // So that a long run does not look like one that hangs.
    size.tell(store.name);
    results.push(await measureStore({ ...store, url: service.url }, times, size));
  }
  return {
    unit: 'µs, median of wall-clock time',
    rows: results.flatMap(({ rows }) => rows),
    goals: results.map(({ goal }) => goal),
    remarks: [
      `${times} webhooks a round, one after the other, each with a transaction for its handlers. By hand: the statements that the package sends, with the same ORM.`,
      ...missing,
    ],
  };
}

async function measureStore({ name, ...options }, times, size) {
  const child = await startChild('stores/driver.mjs', options);
  const byHand = `${name}: by hand`;
  const packed = `${name}: claim and finish`;
  const subjects = [
    { name: byHand, method: 'plain' },
    { name: packed, method: 'webhooks' },
  ];
  const samples = await interleaved(subjects, size, async ({ method }) => {
    const { value } = await child.ask(method, times);
    return percentile(value, 0.5);
  });
  await child.ask('close');
  await child.stop();
  return { rows: rowsOf(samples, byHand), goal: timesAtMost(name, samples, packed, byHand, MOST) };
}
