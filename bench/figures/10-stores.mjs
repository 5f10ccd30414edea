import { startChild } from '../shared/child.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { atMost, rowsOf } from '../shared/result.mjs';
import { absence, POSTGRES, REDIS } from '../shared/services.mjs';
import { percentile } from '../shared/statistics.mjs';

const TIMES = 500;
const STORES = [
  { name: 'Redis', service: REDIS, store: 'redis', most: 2 },
  { name: 'PostgreSQL', service: POSTGRES, store: 'postgres', most: 3 },
  { name: 'PostgreSQL, transactional', service: POSTGRES, store: 'postgres', transactional: true, most: 3 },
];

export const title = 'Claim and finish in Redis and PostgreSQL';

export async function measure(size) {
  const times = Math.ceil(TIMES * size.share);
  const results = [];
  const missing = new Set();
  for (const { service, ...store } of STORES) {
    const absent = await absence(service);
    if (absent) missing.add(absent);
    else results.push(await measureStore({ ...store, url: service.url }, times, size));
  }
  return {
    unit: 'µs, p99 of wall-clock time',
    rows: results.flatMap(({ rows }) => rows),
    goals: results.map(({ goal }) => goal),
    remarks: [
      `${times} webhooks a round, one after the other; round trips are counted on the wire. The plain commands are two of the same driver that write as much: SET and SET, INSERT and UPDATE. PostgreSQL waits for its disk at every commit, the package's as the plain ones: what the disk does shows in the p99 of both.`,
      ...missing,
    ],
  };
}

async function measureStore({ name, most, ...options }, times, size) {
  const child = await startChild('stores/driver.mjs', options);
  const { value: roundTrips } = await child.ask('roundTrips', 50);
  const plain = `${name}: two plain commands`;
  const subjects = [
    { name: plain, method: 'plain' },
    { name: `${name}: claim and finish`, method: 'webhooks' },
  ];
  const samples = await interleaved(subjects, size, async ({ method }) => {
    const { value } = await child.ask(method, times);
    return percentile(value, 0.99);
  });
  await child.ask('close');
  await child.stop();
  return { rows: rowsOf(samples, plain), goal: atMost(`${name}, round trips`, roundTrips, most, '') };
}
