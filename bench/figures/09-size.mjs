import { startChild } from '../shared/child.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { rowsOf, timesAtMost } from '../shared/result.mjs';
import { startClients } from './clients.mjs';
import { absence, POSTGRES } from '../shared/services.mjs';
import { percentile } from '../shared/statistics.mjs';

const FEW = 1_000;
const MANY = 1_000_000;
const CALLS = 5_000;
const CONCURRENCY = 50;
const KINDS = [
  { kind: 'journal', does: 'payments' },
  { kind: 'inbox', does: 'webhooks' },
];
const execArgv = ['--max-old-space-size=8192'];

export const title = 'Journal and inbox with a million entries';

export async function measure(size) {
  const many = Math.ceil(MANY * size.share);
  const missing = await absence(POSTGRES);
  const stores = [
    { store: 'memory', by: 'cpu', times: 5_000 },
    ...(missing ? [] : [{ store: 'postgres', url: POSTGRES.url, by: 'wall', times: 300 }]),
  ];
  const results = [await measureCalls(many, size)];
  for (const store of stores)
    results.push(await measureStore({ ...store, times: Math.ceil(store.times * size.share) }, many, size));
  return {
    unit: 'µs a payment or webhook: memory in CPU of the process, PostgreSQL in p50 of wall-clock time',
    rows: results.flatMap(({ rows }) => rows),
    goals: results.flatMap(({ goals }) => goals),
    remarks: [
      `A call goes through the whole module. Below it the storages alone: a payment is written down and answered; a webhook is claimed and finished. Memory storages are full, so each new entry also makes room; PostgreSQL waits for its disk at every commit.`,
      ...(missing ? [missing] : []),
    ],
  };
}

/** What it is to a whole call how much its journal holds. */
async function measureCalls(many, size) {
  const name = (entries) => `a call, memory journal, ${entries.toLocaleString('en')} entries`;
  const clients = [FEW, many].map((entries) => ({
    name: name(entries),
    client: 'module',
    entries,
    execArgv,
  }));
  const { subjects, stop } = await startClients(clients);
  const calls = Math.ceil(CALLS * size.share);
  const samples = await interleaved(subjects, size, async ({ child }) => {
    const { cpuMs } = await child.ask('many', calls, CONCURRENCY);
    return (cpuMs * 1_000) / calls;
  });
  await stop();
  return {
    rows: rowsOf(samples, name(FEW)),
    goals: [timesAtMost('a call, memory journal', samples, name(many), name(FEW), 1.1)],
  };
}

async function measureStore({ by, times, ...options }, many, size) {
  const children = [];
  for (const entries of [FEW, many]) {
    const child = await startChild('stores/driver.mjs', { ...options, entries }, { execArgv });
    await child.ask('fill', entries);
    children.push({ entries, child });
  }
  const results = [];
  for (const { kind, does } of KINDS) {
    const name = (entries) => `${options.store} ${kind}, ${entries.toLocaleString('en')} entries`;
    const subjects = children.map(({ entries, child }) => ({ name: name(entries), child }));
    const samples = await interleaved(subjects, size, async ({ child }) => {
      const { value, cpuMs } = await child.ask(does, times);
      return by === 'cpu' ? (cpuMs * 1_000) / times : percentile(value, 0.5);
    });
    results.push({
      rows: rowsOf(samples, name(FEW)),
      goals: [timesAtMost(`${options.store} ${kind} alone`, samples, name(many), name(FEW), 1.1)],
    });
  }
  for (const { child } of children) {
    if (options.url) await child.ask('close');
    await child.stop();
  }
  return { rows: results.flatMap(({ rows }) => rows), goals: results.flatMap(({ goals }) => goals) };
}
