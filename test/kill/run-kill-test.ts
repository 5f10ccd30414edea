import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { check, type Verdict } from './checker.js';
import { Fleet } from './fleet.js';
import { History, type Line, now, readHistory } from './history.js';
import { type Effect, Ledger, outcomesOf } from './ledger.js';
import { Network } from './network.js';
import { Operator } from './operator.js';
import {
  isJournalled,
  lot,
  operationOn,
  type Plan,
  planOf,
  type Size,
  STORAGES,
  type StorageMode,
} from './plan.js';
import { Sender } from './sender.js';
import { type Server, startServer } from './servers.js';
import { traceOf } from './trace.js';
import { Watch } from './watch.js';

const REPLICAS = 3;
const CRASHES_OF_THE_STORAGE = 5;
const EVENTS_AT_ONCE = 16;
/** Written down and never paid: nothing may settle them. */
const UNPAID = Array.from({ length: 20 }, (_, index) => `unpaid-${index + 1}`);
/** Far longer than a queue takes, also on a slow machine. */
const DRAINED_WITHIN_MS = 300_000;
/** What is under way when a run is cut short. */
const ENDED_WITHIN_MS = 10_000;

/** What a run did, and what the checker says about it. */
export interface KillRun {
  readonly mode: StorageMode;
  readonly size: Size;
  readonly verdict: Verdict;
  readonly crashes: number;
  readonly replicasStarted: number;
  /** How often it was looked whether effects, inbox and journal contradict each other. */
  readonly looks: number;
  /** How many claims were committed together with another one. */
  readonly shared: number;
  readonly journalled: number;
  readonly operations: { readonly releases: number; readonly purges: number };
  readonly seconds: number;
  /** File of the history, which is kept if a promise was broken. */
  readonly history: string;
  /** What it says about the references that the violations name, and what happened last. */
  readonly trace: readonly string[];
}

export async function runKillTest(mode: StorageMode, size: Size, program: string): Promise<KillRun> {
  const startedAt = now();
  const plan = planOf(size);
  const folder = mkdtempSync(join(tmpdir(), 'kill-test-'));
  const settings = { mode, size, history: join(folder, 'history'), planned: join(folder, 'planned') };
  mkdirSync(settings.planned);
  for (const reference of [...plan.crashPoints.keys(), ...plan.stopPoints.keys()]) {
    writeFileSync(join(settings.planned, reference), '');
  }
  const history = new History(settings.history, 'runner');
  const server = await startServer(mode);
  const ledger = await Ledger.open(mode, server);
  const writtenDown = [...plan.references.filter((each) => isJournalled(size.seed, each)), ...UNPAID];
  await ledger.writeDown(writtenDown);
  const watch = new Watch(STORAGES[mode].isTransactional ? ledger : undefined);
  const network = await Network.before(server.url, REPLICAS, mode, plan.networkFaults, history);
  const fleet = new Fleet(network.urls, program, settings, history);
  const sender = new Sender(fleet);
  const operator = new Operator(size, sender, ledger, history);
  const ending = new AbortController();
  const stage = { fleet, operator, ledger, server, history, signal: ending.signal };
  const played = play(plan, size, stage).then(() =>
    mode === 'bullmq' ? drained(plan, settings.history) : undefined,
  );
  const broken = await Promise.race([played, fleet.failure]).then(() => undefined, failureText);
  try {
    ending.abort();
    sender.close();
    await Promise.race([played.catch(() => undefined), pause(ENDED_WITHIN_MS)]);
    await fleet.stop();
    await network.close();
    await watch.stop();
    const lines = readHistory(settings.history);
    const exactlyOnce = STORAGES[mode].isTransactional;
    const effects = exactlyOnce ? await ledger.effects() : effectsOf(lines);
    const setAside = new Map(
      [...(await ledger.setAside())].map(([reference, conflicts]) => [reference, outcomesOf(conflicts)]),
    );
    const existing = await ledger.journalled(writtenDown);
    const journal = new Map(writtenDown.map((reference) => [reference, existing.get(reference)]));
    const { sent } = operator;
    const steps = await ledger.steps();
    const shared = await ledger.sharedCommits();
    const verdict = check({ plan, exactlyOnce, lines, steps, effects, sent, setAside, journal });
    // A run that was cut short has lost a lot, and nothing of it is news.
    const violations =
      broken === undefined
        ? [...verdict.violations, ...watch.contradictions, ...missingShares(mode, shared)]
        : [...watch.contradictions, broken];
    if (violations.length === 0) rmSync(folder, { recursive: true });
    const count = (what: Line['what']): number => lines.filter((line) => line.what === what).length;
    return {
      mode,
      size,
      verdict: { ...verdict, violations },
      crashes: CRASHES_OF_THE_STORAGE,
      replicasStarted: fleet.started,
      looks: watch.looks,
      shared,
      journalled: writtenDown.length - UNPAID.length,
      operations: { releases: count('releasing'), purges: count('purged') },
      seconds: (now() - startedAt) / 1_000,
      history: settings.history,
      trace: violations.length === 0 ? [] : traceOf(violations, lines, steps),
    };
  } finally {
    await ledger.close();
    await server.stop();
  }
}

interface Stage {
  readonly fleet: Fleet;
  readonly operator: Operator;
  readonly ledger: Ledger;
  readonly server: Server;
  readonly history: History;
  readonly signal: AbortSignal;
}

/**
 * Delivers everything, and kills and stops replicas and crashes the storage as more and more is through. What is purged is
 * purged last: a month lies before it, and nothing that was begun takes that long between its look at the journal and its claim,
 * or on its way to the storage.
 */
async function play(
  { references, randomKills, randomStops }: Plan,
  size: Size,
  { fleet, operator, ledger, server, history, signal }: Stage,
): Promise<void> {
  const kills = inTurn(randomKills, 'kill', (place) => fleet.kill(place));
  const stops = inTurn(randomStops, 'stop', (place) => fleet.stall(place));
  const crashes = inTurn(CRASHES_OF_THE_STORAGE, 'crash', async () => {
    history.add({ what: 'storage down' });
    await server.crash();
    history.add({ what: 'storage up' });
  });
  const forgotten = references.filter((reference) => operationOn(size, reference) === 'purge');
  let count = 0;
  await each(references, (reference) => operator.playAll(reference));
  if (forgotten.length > 0) await fleet.replaceAll('a month later', () => ledger.othersGone());
  await each(forgotten, (reference) => operator.purge(reference));
  await Promise.all([kills, stops, crashes].map(({ done }) => done()));

  async function each(some: readonly string[], work: (reference: string) => Promise<boolean>): Promise<void> {
    const waiting = some.values();
    const worker = async (): Promise<void> => {
      for (const reference of waiting) {
        if (signal.aborted) return;
        const through = await work(reference);
        history.add({ what: through ? 'answered' : 'given up', reference });
        count += 1;
        for (const trouble of [kills, stops, crashes]) trouble.proceed(count);
      }
    };
    await Promise.all(Array.from({ length: EVENTS_AT_ONCE }, worker));
  }

  /** Things that happen one after the other, as many as are due once `count` events are through; the last before the end. */
  function inTurn(
    things: number,
    name: string,
    work: (place: number) => Promise<void>,
  ): { readonly proceed: (count: number) => void; readonly done: () => Promise<void> } {
    let last: Promise<void> = Promise.resolve();
    let begun = 0;
    return {
      proceed: (through) => {
        const due = Math.min(
          things,
          Math.floor((through * (things + 1)) / (references.length + forgotten.length)),
        );
        for (; begun < due; begun += 1) {
          const place = Math.floor(lot(size.seed, name, 'place', begun) * fleet.size);
          const afterMs = lot(size.seed, name, 'moment', begun) * 50;
          last = last.then(() => pause(afterMs)).then(() => (signal.aborted ? undefined : work(place)));
          // The end of the run reports it.
          last.catch(() => undefined);
        }
      },
      done: () => last,
    };
  }
}

/** Resolves when every event is recorded as done; after a while anyway, for the checker to say what is missing. */
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

/** Without transactions of handlers, claims share commits: the troubles are to meet some of them. */
function missingShares(mode: StorageMode, shared: number): string[] {
  return mode !== 'postgres-plain' || shared > 0
    ? []
    : ['no two claims shared a commit, so no trouble met one'];
}

/** @param error What ended the run before everything was delivered. */
function failureText(error: unknown): string {
  return `the run could not be finished: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function effectsOf(lines: readonly Line[]): Effect[] {
  return lines.flatMap((line) => (line.what === 'effect' ? [line] : []));
}
