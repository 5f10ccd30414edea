import { isPaymentsError } from 'nestjs-payments';
import { type BatchState, type LineState, type PayoutBatch } from 'nestjs-payments/batches';
import { sentTwice } from '../../kill/batches/check-batch.js';
import { type BatchPlan, type Run, type Step } from './batch-plan.js';
import { AMOUNT, type BatchProcess, type BatchStore, type BatchWorld } from './batch-world.js';

type LineCount = Awaited<ReturnType<BatchStore['counts']>>[number];
type BatchLine = Awaited<ReturnType<BatchStore['lines']>>[number];

const DAY_MS = 86_400_000;
const LEASES_MS = 120_000;
/** More rounds than any batch of a story needs. */
const ROUNDS = 60;
const CENTS = BigInt(AMOUNT) * 100n;
const ENDED: readonly BatchState[] = ['ended', 'cancelled'];
const STARTED: readonly BatchState[] = ['running', 'paused', ...ENDED];

/** Plays a story and looks after each step whether everything is as it must be. */
export class BatchStory {
  /** What happened, for the reader of a counterexample. */
  readonly told: string[] = [];
  /** What happened in stories, and how often: a story in which nothing happens proves nothing. */
  readonly reached: Map<string, number>;
  private readonly processes: BatchProcess[] = [];
  /** The keys that somebody has accepted. */
  private readonly accepted = new Set<string>();
  private load = '';

  constructor(
    private readonly world: BatchWorld,
    private readonly plan: BatchPlan,
    reached: Map<string, number>,
  ) {
    this.reached = reached;
  }

  async play(): Promise<void> {
    const { world, plan } = this;
    const lines = await world.begin(plan.fates);
    try {
      for (const place of [0, 1]) this.processes[place] = await world.startProcess();
      await this.process(0).create(lines);
      this.load = (await this.record()).load;
      for (const step of plan.steps) await this.step(step);
      await this.end();
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${this.told.join('\n')}`, {
        cause: error,
      });
    } finally {
      for (const { app, mortal } of this.processes) {
        mortal.die();
        await app.close();
      }
    }
  }

  private async step(step: Step): Promise<void> {
    const before = await this.record();
    const sentBefore = this.world.requests.length;
    const act = step.act === 'run' ? `run: ${step.run.how}` : step.act;
    this.told.push(`${before.state}: ${JSON.stringify(step)}`);
    await this.act(step);
    this.reach(act);
    await this.reviveDead();
    const sent = this.world.requests.slice(sentBefore);
    if (sent.length > 0 && (before.state !== 'running' || step.act !== 'run'))
      throw new Error(`"${act}" sent ${sent.length} lines while the batch was ${before.state}.`);
    await this.look();
  }

  private async act(step: Step): Promise<void> {
    const process = this.process(step.process);
    if (step.act === 'run') return this.run(step.job, step.run, step.process);
    if (step.act === 'restart') return this.restart(step.process);
    if (step.act === 'a day passes') return this.world.pass(DAY_MS);
    const batch = await process.open();
    const by = 'by' in step ? step.by : 'operator';
    switch (step.act) {
      case 'check':
        return this.check(batch);
      case 'approve':
        return this.may(batch.approve({ by, withoutBlocked: step.withoutBlocked }), `approve by ${by}`);
      case 'start':
      case 'pause':
      case 'resume':
      case 'cancel':
        return this.may(batch[step.act]({ by }), step.act);
      case 'ask again':
        return this.may(batch.askAgain(), 'ask again');
      case 'accept':
        return this.accept(batch, this.keyOf(step.line));
      case 'settle':
        return this.settle(batch, this.keyOf(step.line));
    }
  }

  /** Does what may be refused, and only as the package refuses things. */
  private async may(work: Promise<unknown>, what: string): Promise<void> {
    try {
      await work;
      this.reach(`${what}: done`);
    } catch (error) {
      if (!isPaymentsError(error)) throw error;
      this.told.push(`  ${error.code}`);
      this.reach(`${what}: ${error.code}`);
    }
  }

  /** It ends when the lines are checked, which a later step does. */
  private async check(batch: PayoutBatch): Promise<void> {
    const given = new AbortController();
    const checked = this.may(batch.check({ by: 'maker' }), 'check');
    // If its process dies, it finds out a second later.
    checked.catch(() => undefined);
    await Promise.race([checked, this.world.queue.added(given.signal)]);
    given.abort();
  }

  private async accept(batch: PayoutBatch, key: string): Promise<void> {
    await this.may(
      batch.accept([key], { by: 'operator', because: 'it is his second name' }).then((lines) => {
        if (lines > 0) this.accepted.add(key);
      }),
      'accept',
    );
  }

  /** As the statement of the gateway says. */
  private async settle(batch: PayoutBatch, key: string): Promise<void> {
    const isPaid = this.world.paid.includes(this.referenceOf(key));
    await this.may(batch.settle(key, isPaid ? 'paid' : 'failed', { by: 'support' }), 'settle');
  }

  private async run(number: number, run: Run, place: 0 | 1): Promise<void> {
    const { queue } = this.world;
    const jobs = queue.waiting;
    // Half of them from the end: the newest ones wait behind those of earlier runs.
    const job = jobs.at(
      number % 2 === 0 ? (number / 2) % jobs.length : -1 - (((number - 1) / 2) % jobs.length),
    );
    if (!job) return;
    const { engine, mortal } = this.process(place);
    if (run.how === 'lost') {
      queue.remove(job);
      return;
    }
    if (run.how === 'dies') mortal.dieAt(run.death);
    const runs = [engine.run(job)];
    if (run.how === 'on both') runs.push(this.process(place === 0 ? 1 : 0).engine.run(job));
    const ends = await Promise.all(runs);
    if (run.how === 'twice') ends.push(await engine.run(job));
    mortal.forgive();
    if (mortal.isDead) this.reach(`died: ${job.kind}`);
    else if (ends.every(Boolean)) queue.remove(job);
    this.reach(`ran: ${job.kind}`);
  }

  private async reviveDead(): Promise<void> {
    for (const place of [0, 1] as const) if (this.process(place).mortal.isDead) await this.restart(place);
  }

  private async restart(place: 0 | 1): Promise<void> {
    const { app, mortal } = this.process(place);
    mortal.die();
    await app.close();
    this.processes[place] = await this.world.startProcess();
  }

  /** After a restart, and if somebody resumes it whenever it pauses, a batch that was started comes to its end. */
  private async end(): Promise<void> {
    const { queue } = this.world;
    const { state: first } = await this.record();
    if (!STARTED.includes(first)) {
      if (this.world.requests.length > 0) throw new Error(`Lines were sent of a batch that is ${first}.`);
      this.reach(`last: ${first}`);
      return;
    }
    await this.restart(0);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { state } = await this.record();
      if (ENDED.includes(state)) break;
      if (state === 'paused') await (await this.process(0).open()).resume({ by: 'operator' });
      // The leases of the dead end.
      await this.world.pass(LEASES_MS);
      for (const job of queue.waiting) if (await this.process(0).engine.run(job)) queue.remove(job);
      await this.look();
    }
    const { state } = await this.record();
    if (!ENDED.includes(state)) throw new Error(`The batch is ${state}, and stays so.`);
    this.reach(`last: ${state}`);
    const sent = this.world.requests.length;
    for (const job of queue.waiting) await this.process(1).engine.run(job);
    if (this.world.requests.length > sent) throw new Error(`Lines were sent after the batch was ${state}.`);
    await this.look(true);
  }

  /** What must be true at every moment. */
  private async look(isQuiet = false): Promise<void> {
    const { store, requests, paid } = this.world;
    const { state } = await this.record();
    const counts = await store.counts(this.load);
    const lines = await store.lines(this.load, { after: 0, limit: 1_000 });
    const problems = [
      ...this.sumProblems(counts),
      ...(isQuiet ? this.countProblems(counts, lines) : []),
      ...lines.flatMap((line) => this.lineProblems(line, state, paid)),
      ...new Set(
        requests.flatMap(({ reference }) =>
          sentTwice(requests.filter((request) => request.reference === reference))
            ? [`${reference} was sent under two keys`]
            : [],
        ),
      ),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  private sumProblems(counts: readonly LineCount[]): readonly string[] {
    const lines = counts.reduce((sum, each) => sum + each.lines, 0);
    const cents = counts.reduce((sum, each) => sum + each.cents, 0n);
    const { length } = this.plan.fates;
    const isWhole = lines === length && cents === BigInt(length) * CENTS;
    return isWhole && counts.every((each) => each.lines >= 0)
      ? []
      : [`the sums are ${lines} lines and ${cents} cents`];
  }

  private countProblems(counts: readonly LineCount[], lines: readonly BatchLine[]): readonly string[] {
    const told = new Map(counts.map((count) => [count.state, count.lines]));
    return [...new Set([...told.keys(), ...lines.map(({ state }) => state)])].flatMap((state) => {
      const found = lines.filter((line) => line.state === state).length;
      return found === (told.get(state) ?? 0)
        ? []
        : [`${found} lines are ${state}, and ${told.get(state)} counted`];
    });
  }

  private lineProblems(
    { key, state: line }: BatchLine,
    batch: BatchState,
    paid: readonly string[],
  ): string[] {
    const reference = this.referenceOf(key);
    const times = paid.filter((other) => other === reference).length;
    const isStranger = this.plan.fates[Number(key.slice(2)) - 1] === 'goes to somebody with another name';
    const isPaid: readonly LineState[] = ['accepted', 'paid'];
    const isNot: readonly LineState[] = ['waiting', 'checked', 'blocked', 'refused', 'failed'];
    return [
      ...(times > 1 ? ['was paid twice'] : []),
      ...(isPaid.includes(line) && times === 0 ? ['was not paid'] : []),
      ...(isNot.includes(line) && times > 0 ? ['was paid'] : []),
      ...(batch === 'ended' && (line === 'checked' || line === 'sending')
        ? ['may be sent in a batch that ended']
        : []),
      ...(isStranger && times > 0 && !this.accepted.has(key)
        ? ['was paid though nobody accepted its name']
        : []),
    ].map((problem) => `${reference} is ${line} and ${problem}`);
  }

  private reach(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  private process(place: 0 | 1): BatchProcess {
    const process = this.processes[place];
    if (!process) throw new Error('There is no such process.');
    return process;
  }

  private async record(): Promise<{ readonly state: BatchState; readonly load: string }> {
    const key = { account: 'default', environment: 'sandbox', batch: this.world.batch } as const;
    const stored = await this.world.store.get(key);
    if (!stored) throw new Error('The batch is gone.');
    return stored.record;
  }

  private keyOf(number: number): string {
    return `S-${(number % this.plan.fates.length) + 1}`;
  }

  private referenceOf(key: string): string {
    return `${this.world.batch}.${key}`;
  }
}
