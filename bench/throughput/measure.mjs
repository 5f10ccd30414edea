import { isBuiltin } from 'node:module';
import { startChild } from '../shared/child.mjs';
import { interleaved } from '../shared/rounds.mjs';
import { absence } from '../shared/services.mjs';
import { ownDatabase } from './own-database.mjs';

/** As many as `pg` opens by itself. */
const POOL_SIZE = 10;
/** No round is longer, whatever the machine can do: the memory storage holds 10,000 entries. */
const MOST = 8_000;
/** Where it is only seen whether all runs. */
const isSmoke = ({ processes, concurrency }) => processes === 1 && concurrency === 64;
/** One round warms up, which takes a part of the time. */
const WARM_UPS = 1;
const WARM_UP = 0.3;

/**
 * Measures the package on one storage, and the floor below it, in every cell.
 *
 * @param burst Does work with one subject in some processes: `{ children, subject, times, concurrency }`, times for each
 * process; gives `{ done, allMs, p50, p99, failures, cpuMs, helperCpuMs }`.
 * @returns Samples by cell and subject; `absent` if there is nothing to measure.
 */
export async function measureStorage(storage, { size, driver, options, burst }) {
  const { key, name, service, seconds, ...own } = storage;
  const cells = size.share === 1 ? own.cells : own.cells.filter(isSmoke);
  const absent = await absenceOf(storage);
  if (absent) return { name, key, absent };
  const database = service && (await ownDatabase(service));
  const children = [];
  try {
    const given = { ...options, ...own, poolSize: POOL_SIZE, name: `payments-bench-${process.pid}` };
    for (let count = Math.max(...cells.map(({ processes }) => processes)); count > 0; count -= 1)
      children.push(await startChild(driver, { ...given, url: database?.url }));
    const { value: statements } = await children[0].ask('statements');
    const measured = [];
    for (const cell of cells) {
      size.tell(`${name}, ${cellText(cell)}`);
      measured.push({
        ...cell,
        samples: await measureCell(children, cell, { size, seconds, statements, burst }),
      });
    }
    for (const child of children) await child.ask('close');
    return { name, key, statements, cells: measured };
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await database?.drop();
  }
}

export function cellText({ processes, concurrency }) {
  return processes === 1 ? `${concurrency} at once` : `${processes} processes with ${concurrency} each`;
}

async function absenceOf({ service, file, name }) {
  if (file === 'sqlite' && !isBuiltin('node:sqlite'))
    return `${name} was not measured: Node ${process.version} has no node:sqlite.`;
  return service && absence(service);
}

/** The memory storage sends nothing: what is below it is the bare request, or the empty route. */
function measureCell(children, { processes, concurrency }, { size, seconds, statements, burst }) {
  const subjects = [{ name: statements > 0 ? 'floor' : 'bare' }, { name: 'package' }];
  const rates = new Map();
  const warmUps = Math.min(size.warmUps, WARM_UPS);
  return interleaved(subjects, { ...size, warmUps }, async ({ name }, round) => {
    await children[0].ask('clear');
    const wanted = (rates.get(name) ?? 0) * seconds * size.share * (round < warmUps ? WARM_UP : 1);
    const least = 2 * concurrency * processes + (size.share === 1 ? 50 : 0);
    const times = Math.ceil(Math.min(MOST, Math.max(least, wanted)) / processes);
    const result = await burst({ children: children.slice(0, processes), subject: name, times, concurrency });
    const rate = (result.done * 1_000) / result.allMs;
    rates.set(name, rate);
    return { ...result, rate };
  });
}
