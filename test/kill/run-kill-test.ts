import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Books } from './books.js';
import { Fleet } from './fleet.js';
import { History, type Line, now, readHistory } from './history.js';
import { judge, type Verdict } from './judge.js';
import { isJournalled, lot, type Plan, planOf, type Size, type StorageMode } from './plan.js';
import { LEASE_MS } from './replica-settings.js';
import { sendAll } from './sender.js';
import { type Server, startServer } from './servers.js';
import { Watch } from './watch.js';

const REPLICAS = 3;
const CRASHES_OF_THE_STORAGE = 5;
/** Written down and never paid: nothing may settle them. */
const UNPAID = Array.from({ length: 20 }, (_, index) => `unpaid-${index + 1}`);
const DRAINED_WITHIN_MS = 60_000;

/** What a run did, and what the checker says about it. */
export interface KillRun {
  readonly mode: StorageMode;
  readonly size: Size;
  readonly verdict: Verdict;
  readonly crashes: number;
  readonly replicasStarted: number;
  /** How often it was looked whether effects, inbox and journal stand together. */
  readonly looks: number;
  readonly journalled: number;
  readonly seconds: number;
  /** File of the history, which stays where a promise was broken. */
  readonly history: string;
}

export async function runKillTest(mode: StorageMode, size: Size, program: string): Promise<KillRun> {
  const startedAt = now();
  const plan = planOf(size);
  const folder = mkdtempSync(join(tmpdir(), 'kill-test-'));
  const settings = { mode, size, history: join(folder, 'history'), dooms: join(folder, 'dooms') };
  mkdirSync(settings.dooms);
  for (const reference of plan.dooms.keys()) writeFileSync(join(settings.dooms, reference), '');
  const history = new History(settings.history, 'runner');
  const server = await startServer(mode);
  const books = await Books.open(mode, server.url);
  const journalled = plan.references.filter((each) => isJournalled(size.seed, each));
  await books.writeDown([...journalled, ...UNPAID]);
  const watch = new Watch(mode === 'postgres' ? books : undefined);
  const fleet = new Fleet(REPLICAS, program, { ...settings, url: server.url }, history);
  try {
    await Promise.race([play(plan, size.seed, fleet, server, history), fleet.failure]);
    if (mode === 'bullmq') await drained(plan, settings.history);
  } finally {
    await fleet.stop();
    await watch.stop();
  }
  try {
    const lines = readHistory(settings.history);
    const exactlyOnce = mode === 'postgres';
    const effects = exactlyOnce ? await books.effects() : effectsOf(lines);
    const verdict = judge({ plan, leaseMs: LEASE_MS, exactlyOnce, lines, effects });
    const unpaid = await books.unpaid([...journalled, ...UNPAID]);
    const violations = [
      ...verdict.violations,
      ...watch.contradictions,
      ...unpaid
        .filter((each) => !UNPAID.includes(each))
        .map((each) => `the journal does not know ${each} as paid`),
      ...UNPAID.filter((each) => !unpaid.includes(each)).map((each) => `the journal settled ${each}`),
    ];
    if (violations.length === 0) rmSync(folder, { recursive: true });
    return {
      mode,
      size,
      verdict: { ...verdict, violations },
      crashes: CRASHES_OF_THE_STORAGE,
      replicasStarted: fleet.started,
      looks: watch.looks,
      journalled: journalled.length,
      seconds: (now() - startedAt) / 1_000,
      history: settings.history,
    };
  } finally {
    await books.close();
    await server.stop();
  }
}

/** Delivers everything, and kills replicas and crashes the storage as more and more events are through. */
async function play(
  { references, randomKills }: Plan,
  seed: string,
  fleet: Fleet,
  server: Server,
  history: History,
): Promise<void> {
  let kills: Promise<void> = Promise.resolve();
  let crashes: Promise<void> = Promise.resolve();
  await sendAll(references, fleet, history, (count) => {
    for (let kill = due(randomKills, count - 1); kill < due(randomKills, count); kill += 1) {
      const place = Math.floor(lot(seed, 'place', kill) * fleet.size);
      kills = kills.then(() => pause(lot(seed, 'moment', kill) * 50)).then(() => fleet.kill(place));
    }
    if (due(CRASHES_OF_THE_STORAGE, count) > due(CRASHES_OF_THE_STORAGE, count - 1)) {
      crashes = crashes.then(() => crash(server, history));
    }
  });
  await Promise.all([kills, crashes]);

  /** How many of so many things have happened once `count` events are through; the last one before the end. */
  function due(things: number, count: number): number {
    return Math.min(things, Math.floor((count * (things + 1)) / references.length));
  }
}

async function crash(server: Server, history: History): Promise<void> {
  history.add({ what: 'storage down' });
  await server.crash();
  history.add({ what: 'storage up' });
}

/** Resolves when every event is recorded as done; after a while anyway, for the judge to say what is missing. */
async function drained(plan: Plan, path: string): Promise<void> {
  const giveUpAt = now() + DRAINED_WITHIN_MS;
  for (;;) {
    const done = new Set(readHistory(path).flatMap((line) => (isDone(line) ? [line.reference] : [])));
    if (done.size >= plan.references.length || now() > giveUpAt) return;
    await pause(500);
  }
}

function isDone(line: Line): line is Line & { readonly reference: string } {
  return line.what === 'known' || (line.what === 'finished' && line.said === true);
}

function effectsOf(lines: readonly Line[]): string[] {
  return lines.flatMap((line) => (line.what === 'effect' ? [line.reference] : []));
}
