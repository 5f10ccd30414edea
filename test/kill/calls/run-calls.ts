import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { type JournalKey } from 'nestjs-payments';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { FaultyProxy, NETWORK_FAULTS } from '../../support/faulty-proxy.js';
import { Fleet } from '../fleet.js';
import { History, now, readHistory } from '../history.js';
import { insist } from '../insist.js';
import { othersGone, RUNNER } from '../other-clients.js';
import { lot } from '../plan.js';
import { startServer } from '../servers.js';
import { storageRequests } from '../storage-requests.js';
import { traceOf } from '../trace.js';
import { startCallGateway } from './call-gateway.js';
import {
  DEADLINE_MS,
  fencedReference,
  isCollection,
  lostReference,
  PATIENT_DEADLINE_MS,
} from './call-settings.js';
import { type CallTroubles, checkCalls, missingCallTroubles } from './check-calls.js';

const REPLICAS = 3;
const AT_ONCE = 12;
const PHASES = 2;
/** So many references are done in a phase until a replica is killed, and until one stands still. */
const KILLED_EVERY = 6;
const STALLED_EVERY = 20;
/** Longer than a call may run: between two phases nobody calls, and everything that is open grows so old. */
const PASSED_MS = 120_000;
const CALLS_OF_EACH = 3;
/** Payments whose answers are lost, and that are asked for again. */
const LOST = 8;
/** Payments whose process stands still until others have taken them over. */
const FENCED = 8;
const NOTED_AGAIN_AFTER_MS = 50;
const ANSWERED_WITHIN_MS = 8_000;
const BROKEN_SHARE = 0.5;
/** Which request about a payment breaks, at most. */
const REQUESTS = 3;

export interface CallSize {
  readonly payments: number;
  readonly seed: string;
}

export interface CallRun {
  readonly mode: 'postgres' | 'redis';
  readonly size: CallSize;
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly history: string;
  readonly trace: readonly string[];
}

export async function runCalls(mode: CallRun['mode'], size: CallSize, program: string): Promise<CallRun> {
  const startedAt = now();
  const { payments, seed } = size;
  const folder = mkdtempSync(join(tmpdir(), 'kill-calls-'));
  const path = join(folder, 'history');
  const history = new History(path, 'runner');
  const server = await startServer(mode);
  const pool =
    mode === 'postgres' ? new Pool({ connectionString: server.url, application_name: RUNNER }) : undefined;
  if (pool) await migratePayments(pool);
  const redis = new Redis(server.url, { connectionName: RUNNER, lazyConnect: true });
  redis.on('error', () => undefined);
  const storage = pool ? postgresStorage({ pool }) : redisStorage({ client: redis });
  const gateway = await startCallGateway(seed, history);
  const proxies: FaultyProxy[] = [];
  for (let place = 1; place <= REPLICAS; place += 1) proxies.push(await brokenBefore(place));
  const references = Array.from({ length: payments }, (_, index) => `order-${100_000 + index}`);
  const lost = Array.from({ length: LOST }, (_, index) => lostReference(index));
  const fenced = Array.from({ length: FENCED }, (_, index) => fencedReference(index));
  let aheadMs = 0;
  let unresolved: readonly string[] = [];
  const calls = new Map<string, number>();

  try {
    for (let phase = 0; phase < PHASES; phase += 1) await play(phase);
    await askAgain();
    await standStill();
    await end();
    const lines = readHistory(path);
    const all = [...references, ...lost, ...fenced];
    const states = new Map<string, string>();
    for (const reference of all) {
      const existing = await insist(() => storage.journal.get(keyOf(reference)));
      if (existing) states.set(reference, existing.record.state);
    }
    const evidence = { references: all, fenced, lines, states, unresolved: new Set(unresolved) };
    const violations = [...checkCalls(evidence), ...missingCallTroubles(troublesOf(payments), lines)];
    if (violations.length === 0) rmSync(folder, { recursive: true });
    const counts: Record<string, number> = {};
    for (const line of lines) {
      const what = line.what === 'told' ? `told ${line.said}` : line.what;
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return {
      mode,
      size,
      violations,
      counts,
      seconds: (now() - startedAt) / 1_000,
      history: path,
      trace: violations.length === 0 ? [] : traceOf(violations, lines, []),
    };
  } finally {
    await storage.close?.();
    await pool?.end();
    redis.disconnect();
    await gateway.close();
    await server.stop();
  }

  /** The network before a replica, which breaks some requests about payments, each payment's once. */
  async function brokenBefore(place: number): Promise<FaultyProxy> {
    const seen = new Map<string, number>();
    return FaultyProxy.before(server.url, storageRequests(mode).split, ({ statements }) => {
      for (const statement of statements) {
        const [reference] = statement.includes('journal') ? (/order-\d{6}/.exec(statement) ?? []) : [];
        if (reference === undefined || lot(seed, 'broken', reference) >= BROKEN_SHARE) continue;
        const count = (seen.get(reference) ?? 0) + 1;
        seen.set(reference, count);
        if (count !== 1 + Math.floor(lot(seed, 'request', reference) * REQUESTS)) continue;
        const fault = NETWORK_FAULTS[Math.floor(lot(seed, 'fault', reference) * NETWORK_FAULTS.length)]!;
        history.add({ what: 'journal broken', reference, fault, place });
        return fault;
      }
      return undefined;
    });
  }

  function fleetOf(
    name: string,
    urls: readonly string[],
    {
      deadlineMs = DEADLINE_MS,
      ahead = aheadMs,
    }: { readonly deadlineMs?: number; readonly ahead?: number } = {},
  ): Fleet {
    const settings = { mode, history: path, seed, gateway: gateway.baseUrl, aheadMs: ahead, deadlineMs };
    return new Fleet(urls, program, settings, history, `${name} `);
  }

  /** Turns the storage's clock on. Replicas of Redis get it when they start. */
  async function pass(): Promise<void> {
    aheadMs += PASSED_MS;
    await pool?.query(
      `UPDATE payments_journal SET created_at = created_at - $1::interval, updated_at = updated_at - $1::interval,
         attempt_at = attempt_at - $1::interval, lease_until = lease_until - $1::interval`,
      [`${PASSED_MS} milliseconds`],
    );
  }

  /** New payments and those of earlier phases, asked for several times, while replicas die, stand still and recover. */
  async function play(phase: number): Promise<void> {
    const fleet = fleetOf(
      `phase ${phase + 1}:`,
      proxies.map(({ url }) => url),
    );
    const share = Math.ceil(payments / PHASES);
    const waiting = references.slice(0, share * (phase + 1)).values();
    let done = 0;
    let trouble: Promise<void> = Promise.resolve();
    const worker = async (): Promise<void> => {
      for (const reference of waiting) {
        const isNew = references.indexOf(reference) >= share * phase;
        const most = isNew ? CALLS_OF_EACH : 2;
        const times = (isNew ? 1 : 0) + Math.floor(lot(seed, 'calls', phase, reference) * most);
        for (let made = 0; made < times; made += 1) await call(fleet, reference);
        // Others go on while this one recovers.
        const number = (done += 1);
        if (phase > 0 && number % 5 === 0) await post(fleet, number, 'recover');
        if (number % KILLED_EVERY === 0)
          trouble = trouble.then(() => fleet.kill(placeOf('kill', phase, number)));
        if (number % STALLED_EVERY === 0)
          trouble = trouble.then(() => fleet.stall(placeOf('stop', phase, number)));
      }
    };
    try {
      await Promise.race([Promise.all(Array.from({ length: AT_ONCE }, worker)), fleet.failure]);
      await trouble;
    } finally {
      await fleet.stop();
    }
    await othersGone(pool ?? redis);
    await pass();
  }

  /** Whatever the load of this machine: nobody is killed, and there is time enough. */
  async function askAgain(): Promise<void> {
    const deadlineMs = PATIENT_DEADLINE_MS;
    const fleet = fleetOf('asked again:', [server.url, server.url], { deadlineMs });
    const askTwice = async (reference: string): Promise<void> => {
      for (let made = 0; made < 2; made += 1) await call(fleet, reference, deadlineMs);
    };
    try {
      await Promise.race([Promise.all(lost.map(askTwice)), fleet.failure]);
    } finally {
      await fleet.stop();
    }
    await othersGone(pool ?? redis);
    await pass();
  }

  /**
   * A process stands still while its payments are at the gateway, as on a machine that was suspended: the storage's clock continues, its
   * own does not. Others take the payments over, and the gateway takes what it had refused. Then the first one gets the refusals.
   */
  async function standStill(): Promise<void> {
    const urls = [server.url];
    const deadlineMs = PATIENT_DEADLINE_MS;
    const first = fleetOf('stands still:', urls, { deadlineMs });
    const others = fleetOf('others:', urls, { deadlineMs, ahead: aheadMs + PASSED_MS });
    try {
      await first.portWhenListening(0);
      const told = fenced.map((reference) => call(first, reference, deadlineMs));
      await gateway.holds(FENCED);
      for (const reference of fenced) await untilNoted(reference);
      const goOn = await first.freeze(0, 'within its calls');
      await pass();
      await Promise.all(fenced.filter((_, index) => index % 2 === 0).map((each) => call(others, each)));
      while ((await post(others, 0, 'recover')) === undefined);
      gateway.refuseHeld();
      goOn();
      await Promise.all(told);
      await Promise.all(fenced.map((reference) => call(others, reference)));
    } finally {
      await first.stop();
      await others.stop();
    }
    await othersGone(pool ?? redis);
    await pass();
  }

  /** Until the journal knows that the payment left: no process takes over a payment that was paused before that. */
  async function untilNoted(reference: string): Promise<void> {
    const isNoted = async (): Promise<boolean> =>
      (await insist(() => storage.journal.get(keyOf(reference))))?.record.sent === true;
    while (!(await isNoted())) await pause(NOTED_AGAIN_AFTER_MS);
  }

  function placeOf(...words: readonly (string | number)[]): number {
    return Math.floor(lot(seed, ...words) * REPLICAS);
  }

  async function call(fleet: Fleet, reference: string, withinMs = ANSWERED_WITHIN_MS): Promise<void> {
    const number = (calls.get(reference) ?? 0) + 1;
    calls.set(reference, number);
    const path = `make?reference=${reference}&call=${number}`;
    await post(fleet, placeOf('place', reference, number), path, 'POST', withinMs);
  }

  /** With the network whole again everything is recovered, and what stays open is listed. */
  async function end(): Promise<void> {
    const fleet = fleetOf('end:', [server.url]);
    try {
      for (let runs = 0; runs < 3;) runs += (await post(fleet, 0, 'recover')) === undefined ? 0 : 1;
      let listed: string | undefined;
      while (listed === undefined) listed = await post(fleet, 0, 'unresolved', 'GET');
      unresolved = JSON.parse(listed) as string[];
    } finally {
      await fleet.stop();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    }
  }
}

/** What the phases plan for so many payments. */
function troublesOf(payments: number): CallTroubles {
  const share = Math.ceil(payments / PHASES);
  const troubles = { kills: 0, stalls: 0 };
  for (let phase = 0; phase < PHASES; phase += 1) {
    const references = Math.min(payments, share * (phase + 1));
    troubles.kills += Math.floor(references / KILLED_EVERY);
    troubles.stalls += Math.floor(references / STALLED_EVERY);
  }
  return troubles;
}

function keyOf(reference: string): JournalKey {
  const family = isCollection(reference) ? 'collection' : 'disbursement';
  return { account: 'default', environment: 'sandbox', family, reference };
}

/** The text of the answer; undefined if none came, or not 200. */
async function post(
  fleet: Fleet,
  place: number,
  path: string,
  method = 'POST',
  withinMs = ANSWERED_WITHIN_MS,
): Promise<string | undefined> {
  const port = await fleet.portWhenListening(place % fleet.size);
  try {
    const signal = AbortSignal.timeout(withinMs);
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, { method, signal });
    const text = await response.text();
    return response.status === 200 ? text : undefined;
  } catch {
    return undefined;
  }
}
