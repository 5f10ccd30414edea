import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { type BatchState, type LineState, type PayoutBatch } from 'nestjs-payments/batches';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { migratePayments, postgresStorage } from 'nestjs-payments/postgres';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type BatchesApp, knownLines, startBatchesApp } from '../../support/batches-app.js';
import { Fleet } from '../fleet.js';
import { History, type Line, now, readHistory } from '../history.js';
import { insist } from '../insist.js';
import { RUNNER } from '../other-clients.js';
import { sharedCommits } from '../postgres-steps.js';
import { lot } from '../plan.js';
import { type Server, startServer } from '../servers.js';
import { type BatchSize, crashesOf, fileOf } from './batch-plan.js';
import { BATCH, POLICY, QUEUE, RATE, SPARED } from './batch-settings.js';
import { checkBatch, missingBatchTroubles, type PayoutRequest } from './check-batch.js';
import { memoryFaults, type MemoryOfHalves, memoryOfHalves } from './memory.js';

const AMOUNT = '10';
const FAULTY_SHARE = 0.01;
const LOOKS_EVERY_MS = 50;
/** Without a line for this time, the batch has stopped forever. */
const GIVES_UP_AFTER_MS = 120_000;
const TRACED = 5;
/** How much of the kills comes while the lines are checked. */
const CHECK_SHARE = 0.15;

export interface BatchRun {
  readonly size: BatchSize;
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly memory: MemoryOfHalves | undefined;
  readonly seconds: number;
  readonly history: string;
  readonly trace: readonly string[];
}

/** Pays a batch while replicas die, and PostgreSQL and Redis crash, and compares it with the gateway's ledger. */
export async function runBatch(size: BatchSize, program: string): Promise<BatchRun> {
  const startedAt = now();
  const folder = mkdtempSync(join(tmpdir(), 'kill-batch-'));
  const [path, planned] = [join(folder, 'history'), join(folder, 'planned')];
  mkdirSync(planned);
  for (const crash of crashesOf(size)) writeFileSync(join(planned, fileOf(crash)), '');
  const history = new History(path, 'runner');
  const [postgres, redis] = [await startServer('postgres'), await startServer('redis')];
  const pool = new Pool({ connectionString: postgres.url, application_name: RUNNER, max: 4 });
  pool.on('error', () => undefined);
  await migratePayments(pool);
  const seed = Math.floor(lot(size.seed, 'gateway') * 2 ** 32);
  const sandbox = await PaymentsSandbox.start({ startingBalance: '100000000000', seed });
  const requests: PayoutRequest[] = [];
  listen(sandbox, requests);
  const desk = await startBatchesApp({
    sandbox,
    storage: postgresStorage({ pool }),
    engine: bullmqEngine({ connection: { url: redis.url }, queueName: QUEUE, worker: false }),
    policy: POLICY,
    options: { rate: RATE },
  });
  const settings = { redis: redis.url, gateway: keysOf(sandbox), history: path, planned };
  const fleets: Fleet[] = [];
  try {
    const lines = knownLines(sandbox, size.lines, AMOUNT);
    const batch = await desk.batches.create(BATCH, lines, { by: 'maker' });
    const dying = Array.from({ length: size.replicas }, () => postgres.url);
    const mortal = new Fleet(dying, program, settings, history);
    fleets.push(mortal, new Fleet([postgres.url], program, settings, history, SPARED));
    const trouble = new Trouble(size, { mortal, postgres, redis, history });
    const watched = new WatchedBatch(batch, trouble, size.lines * Number(AMOUNT));
    await Promise.race([payAll(watched, sandbox), ...fleets.map(({ failure }) => failure)]);
    for (const fleet of fleets.splice(0)) await fleet.stop();
    const found = readHistory(path);
    const states = await statesOf(batch);
    const paid = sandbox.payouts().map(({ reference }) => reference);
    const references = lines.map(({ key }) => `${BATCH}.${key}`);
    const memory = memoryOfHalves(found);
    const shared = await sharedCommits(pool, 'payments_journal');
    const violations = [
      ...watched.faults,
      ...(shared > 0 ? [] : ['no two payments shared a commit, so no crash met one']),
      ...checkBatch({ references, states, paid, requests, history: found }),
      ...memoryFaults(memory),
      ...missingBatchTroubles(size, found),
      ...(await settleFaults(desk, batch, states, new Set(paid))),
    ];
    if (violations.length === 0) rmSync(folder, { recursive: true });
    return {
      size,
      violations,
      memory,
      counts: {
        ...countsOf(found, states),
        looks: watched.looks,
        resumes: watched.resumes,
        paid: paid.length,
        'payments in the commit of another': shared,
      },
      seconds: (now() - startedAt) / 1_000,
      history: path,
      trace: traceOf(violations, found),
    };
  } finally {
    for (const fleet of fleets) await fleet.stop();
    await desk.app.close();
    await sandbox.stop();
    await pool.end();
    await Promise.all([postgres.stop(), redis.stop()]);
  }
}

function keysOf(sandbox: PaymentsSandbox): object {
  const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
  return { baseUrl, apiKey, apiSecret };
}

/** Some answers are lost, some payouts refused, and every request is written down. */
function listen(sandbox: PaymentsSandbox, requests: PayoutRequest[]): void {
  const payouts = 'POST /disbursements/bank';
  sandbox.next(payouts).dropAfterProcessing().probability(FAULTY_SHARE);
  sandbox.next(payouts).status(422, { code: 'INVALID_ACCOUNT' }).probability(FAULTY_SHARE);
  sandbox.on('exchange', ({ request: { method, path, reference, headers, status } }) => {
    if (method !== 'POST' || reference === null || !path.includes('/disbursements/')) return;
    requests.push({ reference, key: headers['idempotency-key'] ?? '', status });
  });
}

/** A batch that is watched, and resumed whenever it pauses. */
class WatchedBatch {
  readonly faults: string[] = [];
  looks = 0;
  resumes = 0;
  private known = -1;
  private knownAt = now();

  constructor(
    readonly batch: PayoutBatch,
    private readonly trouble: Trouble,
    private readonly amount: number,
  ) {}

  /** Until the batch has left this state, with this share of all trouble from `from` to `to`. */
  async until(
    state: 'checking' | 'running',
    done: readonly LineState[],
    from: number,
    to: number,
  ): Promise<void> {
    for (;;) {
      const progress = await insist(() => this.batch.progress());
      this.looks += 1;
      const sums = Object.values(progress.byState);
      const lines = sums.reduce((sum, each) => sum + each.lines, 0);
      const amount = sums.reduce((sum, each) => sum + Number(each.amount), 0);
      if (lines !== progress.total.lines || amount !== this.amount)
        this.faults.push(`the sums were ${lines} lines and ${amount} TZS`);
      if (progress.state === 'paused') {
        this.resumes += 1;
        // At the next look again, if it fails.
        await this.batch.resume({ by: 'operator' }).catch(() => undefined);
      } else if (progress.state !== state) return;
      const ended = done.reduce((sum, each) => sum + (progress.byState[each]?.lines ?? 0), 0);
      if (ended !== this.known) [this.known, this.knownAt] = [ended, now()];
      if (now() - this.knownAt > GIVES_UP_AFTER_MS) {
        this.faults.push(`the batch stopped forever: ${JSON.stringify(progress)}`);
        return;
      }
      await this.trouble.at(from + ((to - from) * ended) / progress.total.lines);
      await pause(LOOKS_EVERY_MS);
    }
  }
}

/** Kills and crashes: as many as are due. */
class Trouble {
  private crashes = 0;
  private kills = 0;

  constructor(
    private readonly size: BatchSize,
    private readonly around: {
      readonly mortal: Fleet;
      readonly postgres: Server;
      readonly redis: Server;
      readonly history: History;
    },
  ) {}

  /**
   * @param share How much of the work is done. Replicas that die of a plan have died already; the rest dies at
   * random.
   */
  async at(share: number): Promise<void> {
    const { kills, restarts, replicas, seed } = this.size;
    const { mortal, postgres, redis, history } = this.around;
    // Each life ended but the last one of each place.
    while (mortal.started - replicas < Math.floor(kills * share)) {
      await mortal.kill(Math.floor(lot(seed, 'place', (this.kills += 1)) * replicas));
      // It is counted once another one is started in its place.
      await new Promise(setImmediate);
    }
    if (this.crashes >= Math.floor((restarts + 1) * share) || this.crashes >= restarts) return;
    history.add({ what: 'storage down' });
    await (this.crashes % 2 === 0 ? postgres : redis).crash();
    history.add({ what: 'storage up' });
    this.crashes += 1;
  }
}

async function payAll(watched: WatchedBatch, sandbox: PaymentsSandbox): Promise<void> {
  const { batch } = watched;
  // Resolves when some replica has checked the lines: it is looked at beside.
  const checked = insist(() => batch.check({ by: 'maker' }));
  checked.catch(() => undefined);
  await insist(async () => {
    if ((await batch.progress()).state === 'loaded') throw new Error('The check has not begun.');
  });
  await watched.until('checking', ['checked', 'blocked'], 0, CHECK_SHARE);
  if (watched.faults.length > 0) return;
  await checked;
  await bring(batch, ['approved'], () => batch.approve({ by: 'checker' }));
  if (sandbox.payouts().length > 0) watched.faults.push('a line was paid before the approval');
  await bring(batch, ['running', 'paused', 'ended'], () => batch.start({ by: 'maker' }));
  await watched.until('running', ['accepted', 'unknown', 'refused'], CHECK_SHARE, 1);
}

/** Tries until the batch is in one of these states: the answer of a try may be lost. */
async function bring(
  batch: PayoutBatch,
  states: readonly BatchState[],
  act: () => Promise<void>,
): Promise<void> {
  await insist(async () => {
    await act().catch(() => undefined);
    const { state } = await batch.progress();
    if (!states.includes(state)) throw new Error(`The batch is ${state}.`);
  });
}

async function statesOf(batch: PayoutBatch): Promise<ReadonlyMap<string, LineState>> {
  return insist(async () => {
    const states = new Map<string, LineState>();
    for await (const { reference, state } of batch.lines()) states.set(reference, state);
    return states;
  });
}

/** An operator asks about what is unknown, and then writes down what the gateway's ledger says. */
async function settleFaults(
  { journal }: BatchesApp,
  batch: PayoutBatch,
  states: ReadonlyMap<string, LineState>,
  paid: ReadonlySet<string>,
): Promise<readonly string[]> {
  await insist(() => batch.askAgain());
  const wrong: string[] = [];
  for await (const { key, reference } of batch.lines({ state: 'unknown' })) {
    const entry = await journal.get('disbursement', reference);
    if (states.get(reference) !== 'unknown') wrong.push(`${reference} became unknown when somebody asked`);
    if (entry === undefined) wrong.push(`${reference} is unknown, and not in the journal`);
    else await batch.settle(key, paid.has(reference) ? 'paid' : 'failed', { by: 'support' });
  }
  const { byState } = await batch.progress();
  const told = (byState.accepted?.lines ?? 0) + (byState.paid?.lines ?? 0);
  if (told !== paid.size) wrong.push(`${told} lines are accepted or paid, and the ledger has ${paid.size}`);
  return wrong;
}

function countsOf(history: readonly Line[], states: ReadonlyMap<string, LineState>): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  for (const line of history) {
    if (line.what === 'killed') add(`killed ${line.point}`);
    if (line.what === 'storage up') add('crashes of the storage');
  }
  for (const state of states.values()) add(state);
  return counts;
}

/** What happened to the first lines that are named. */
function traceOf(violations: readonly string[], history: readonly Line[]): readonly string[] {
  const named = violations.slice(0, TRACED).map((violation) => violation.split(' ')[0]);
  return history
    .filter((line) => 'reference' in line && named.includes(line.reference))
    .map((line) => JSON.stringify(line));
}
