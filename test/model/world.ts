import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import {
  type JournalEntry,
  memoryStorage,
  PaymentOutcomeUnknownError,
  type PaymentsStorage,
  ReferenceReusedError,
} from '../../lib/index.js';
import { PaymentsSandbox } from '../../lib/sandbox/index.js';
import { FaultyWire, type WireRequest } from './faulty-wire.js';
import { CALLER_GAVE_UP, Judge, SLOTS, type CallResult } from './judge.js';
import { MerchantProcess } from './merchant-process.js';
import { type Fault, type Plan, type PlannedCall, type Slot, type Step } from './plan.js';

const PHONE = '255712345678';
const CUSTOMER = { phone: PHONE, customer_name: 'Asha Juma', customer_email: 'asha@example.com' };
const BANK = { bank_code: 'BSB', account_number: '0123456789', account_name: 'Asha Juma', remarks: 'Salary' };
const MOBILE = { recipient_phone: PHONE, recipient_name: 'Asha Juma', network: 'NET_ONE', remarks: 'Salary' };
const ENDINGS = ['approve', 'decline', 'cancel', 'expire'] as const;
const PAYOUT_ENDINGS = ['pay', 'fail', 'cancel', 'pay'] as const;

/** The emulator, the network before it and the address for webhooks: they serve one story after the other. */
export class World {
  /** How often each end was seen. */
  readonly seen = new Map<string, number>();
  private story: Story | undefined;

  private constructor(
    readonly sandbox: PaymentsSandbox,
    readonly wire: FaultyWire,
    private readonly front: Server,
  ) {}

  static async open(): Promise<World> {
    const sandbox = await PaymentsSandbox.start({ clock: 'manual', seed: 1 });
    const story = (): Story | undefined => world.story;
    const wire = await FaultyWire.open(sandbox, {
      arrived: (request) => story()?.arrived(request) ?? false,
      processed: async (request, fault) => story()?.processed(request, fault),
      giveUp: () => story()?.giveUp(),
    });
    const front = createServer((request, response) => story()?.listener(request, response));
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    sandbox.deliverTo(`http://127.0.0.1:${(front.address() as AddressInfo).port}/webhooks/payments`);
    sandbox.on('exchange', ({ request: { path, headers, body, fault } }) => {
      const unprocessed = fault === 'dropBefore' || fault === 'status' || fault === 'html';
      const { reference } = body as { readonly reference: string };
      const family = path.includes('/payments/') ? 'collection' : 'disbursement';
      if (!unprocessed) story()?.judge.processed({ family, reference }, headers['idempotency-key'] ?? '');
    });
    const world: World = new World(sandbox, wire, front);
    return world;
  }

  /** Plays a plan from an empty journal to its end. Throws where money was not safe. */
  async play(plan: Plan): Promise<void> {
    await this.sandbox.reset();
    this.wire.reset();
    this.story = new Story(this, plan);
    try {
      await this.story.play();
    } finally {
      await this.story.close();
      this.story = undefined;
    }
  }

  async close(): Promise<void> {
    await this.wire.close();
    await this.sandbox.stop();
    this.front.closeAllConnections();
    await new Promise((resolve) => this.front.close(resolve));
  }
}

/** One merchant with one storage, and its processes one after the other. */
class Story {
  readonly judge: Judge;
  private readonly storage: PaymentsStorage;
  /** Those that get webhooks, one after the other. */
  private readonly processes: MerchantProcess[] = [];
  private readonly started: MerchantProcess[] = [];
  private readonly startingBalance: number;
  private passedMs = 0;
  private caller = new AbortController();
  /** What the judge found while something else was waited for. */
  private found: Error | undefined;

  constructor(
    private readonly world: World,
    private readonly plan: Plan,
  ) {
    this.judge = new Judge(world.sandbox);
    this.storage = memoryStorage({ now: () => Date.now() + this.passedMs });
    this.startingBalance = world.sandbox.balance().balance;
  }

  async play(): Promise<void> {
    await this.restart();
    for (const step of this.plan.steps) {
      await this.perform(step);
      await this.world.wire.idle();
      if (this.process.isDead) await this.restart();
      await this.compare();
    }
    await this.end();
  }

  async close(): Promise<void> {
    this.started.forEach((process) => {
      process.die();
    });
    await Promise.all(this.started.map((process) => process.close()));
    await this.world.wire.idle();
  }

  readonly listener: RequestListener = (request, response) => {
    this.process.listener(request, response);
  };

  arrived(request: WireRequest): boolean {
    this.note(() => {
      this.judge.sent(request);
    });
    return this.process.requestArrived();
  }

  async processed(request: WireRequest, fault: Fault): Promise<void> {
    this.process.requestProcessed();
    if (fault === 'webhook before the answer' && request.operation.includes('/payments/')) {
      await this.decide({ family: 'collection', reference: request.reference }, 0);
    }
  }

  giveUp(): void {
    this.caller.abort(CALLER_GAVE_UP);
  }

  private get process(): MerchantProcess {
    return this.processes.at(-1)!;
  }

  private async perform(step: Step): Promise<void> {
    switch (step.do) {
      case 'call':
        return this.makeCall(step);
      case 'two calls at once':
        return this.makeTwoCalls(step);
      case 'recover':
        return this.recover(step);
      case 'decide':
        return this.decide(step.slot, step.how);
      case 'settle':
        return this.settle(step.slot);
      case 'let late requests arrive':
        return this.world.wire.letLateRequestsArrive();
      case 'restart':
        return this.restart();
      case 'let time pass':
        this.passedMs += step.ms;
    }
  }

  private async makeCall({ call, faults, death, outage }: Extract<Step, { do: 'call' }>): Promise<void> {
    const { judge, process } = this;
    this.world.wire.plan(faults);
    process.plan({ death, outage });
    const standing = await this.entry(call);
    const sentBefore = judge.sentSoFar;
    const result = await this.call(call);
    process.plan({});
    judge.ended(call, result, sentBefore, standing);
    const isReused = result.end === 'rejected' && result.error instanceof ReferenceReusedError;
    judge.check(!isReused || standing !== undefined, 'a free reference was refused', { call, result });
    if (result.end === 'died') await this.believeTheJournal(call);
  }

  private async makeTwoCalls({
    calls: [one, other],
    elsewhere,
    faults,
  }: Extract<Step, { do: 'two calls at once' }>): Promise<void> {
    const second = elsewhere ? await this.startProcess() : this.process;
    this.world.wire.plan(faults);
    const sentBefore = this.judge.sentSoFar;
    const results = await Promise.all([this.call(one), this.call(other, second)]);
    this.judge.endedTogether([one, other], results, sentBefore);
    // Whoever only waited for the other knows less than the journal does.
    if (results.some((result) => this.judge.isRefusal(result))) await this.believeTheJournal(one);
  }

  private async call(call: PlannedCall, process = this.process): Promise<CallResult> {
    this.caller = new AbortController();
    if (call.options === 'aborted before') this.giveUp();
    const made = this.send(call, process).then(
      (value): CallResult => ({ end: 'resolved', value }),
      (error: unknown): CallResult => ({ end: 'rejected', error }),
    );
    const ended = await Promise.race([made, process.death]);
    const result: CallResult = ended === 'died' || process.isDead ? { end: 'died' } : ended;
    this.count(nameOf(result));
    this.throwFound();
    return result;
  }

  private send(
    { family, channel, reference, amount, options }: PlannedCall,
    { collections, disbursements }: MerchantProcess,
  ): Promise<{ reference: string; amount: string }> {
    const callOptions = {
      signal: this.caller.signal,
      ...(options === 'once' && { retry: false as const }),
      ...(options === 'own key' && { idempotencyKey: `own-${family}-${reference}` }),
      ...(options === 'attempt 2' && { attempt: 2 }),
    };
    const payment = { reference, amount };
    if (family === 'collection') {
      const request = { ...payment, ...CUSTOMER };
      return channel === 0
        ? collections.mobileMoney(request, callOptions)
        : collections.partnerWallet(request, callOptions);
    }
    return channel === 0
      ? disbursements.bank({ ...payment, ...BANK }, callOptions)
      : disbursements.mobileMoney({ ...payment, ...MOBILE }, callOptions);
  }

  private async recover({
    twice,
    faults,
    death,
  }: Omit<Extract<Step, { do: 'recover' }>, 'do'>): Promise<void> {
    const { process } = this;
    const others = twice ? [await this.startProcess()] : [];
    this.world.wire.plan(faults);
    const entries = await Promise.all(SLOTS.map((slot) => this.entry(slot)));
    process.plan({ death });
    const sentBefore = this.judge.sentSoFar;
    const run = async (by: MerchantProcess): Promise<void> => {
      const report = await Promise.race([by.journal.recover(), by.death]);
      if (report !== 'died') this.count('probed by recovery', report.probed);
    };
    await Promise.all([
      run(process).catch((error: unknown) => {
        if (!process.isDead) throw error;
      }),
      ...others.map(run),
    ]);
    process.plan({});
    this.throwFound();
    // After a 429 the same try may follow once more.
    this.judge.recovered(sentBefore, entries, faults.includes('status 429'));
  }

  /** The customer or the provider brings a payment to its end; the merchant hears of a collection by webhook. */
  private async decide(slot: Slot, how: 0 | 1 | 2 | 3): Promise<void> {
    const { sandbox } = this.world;
    const status = this.judge.effect(slot)?.status;
    if (status !== 'pending' && status !== 'processing') return;
    if (slot.family === 'collection') await sandbox.customer(PHONE)[ENDINGS[how]](slot.reference);
    else await sandbox.payout(slot.reference)[PAYOUT_ENDINGS[how]]();
  }

  /** An operator looks at the gateway's books, once nothing is on its way any more, and tells the journal. */
  private async settle(slot: Slot): Promise<void> {
    await this.world.wire.letLateRequestsArrive();
    const { family, reference } = slot;
    const entry = await this.entry(slot);
    if (entry?.state !== 'unknown' && entry?.state !== 'in-flight') return;
    if (!this.judge.effect(slot)) {
      await this.process.journal.settle(family, reference, 'failed');
      this.judge.believeFree(slot);
      return;
    }
    await this.decide(slot, 0);
    const status = this.judge.effect(slot)?.status as JournalEntry['outcome'];
    // The journal would take it for a payment that the gateway never had, and let it be made again.
    if (status && status !== 'failed') await this.process.journal.settle(family, reference, status);
  }

  private async restart(): Promise<void> {
    if (this.processes.length > 0) this.process.die();
    this.processes.push(await this.startProcess());
  }

  private async startProcess(): Promise<MerchantProcess> {
    const { wire, sandbox } = this.world;
    const process = await MerchantProcess.start({
      base: sandbox.moduleOptions(),
      baseUrl: wire.baseUrl,
      storage: this.storage,
      probe: this.plan.probe,
      refusesNext: () => wire.refusesNext(),
    });
    this.started.push(process);
    return process;
  }

  private async end(): Promise<void> {
    const { sandbox, wire } = this.world;
    await wire.letLateRequestsArrive();
    await this.restart();
    this.passedMs += this.plan.lastWaitMs;
    await this.recover({ twice: true, faults: [] });
    await this.compare();
    await this.expectUnresolved((entry) => {
      this.judge.check(entry.state !== 'in-flight', 'recovery left a payment in flight', { entry });
    });

    // Every payment comes to its end, and every webhook that did not get through is sent again.
    for (const slot of SLOTS) if (slot.family === 'disbursement') await this.decide(slot, 0);
    await sandbox.clock.advance('3h');
    for (const slot of SLOTS) {
      const effect = this.judge.effect(slot);
      const entry = await this.entry(slot);
      const isTold = slot.family === 'disbursement' || !effect || entry?.outcome === effect.status;
      this.judge.check(isTold, 'a webhook did not settle its payment', { slot, effect, entry });
    }
    for (const slot of SLOTS) await this.settle(slot);
    await this.compare();
    await this.expectUnresolved((entry) => {
      this.judge.check(false, 'a payment is still unresolved', { entry });
    });
    this.expectHeardOnce();
  }

  /** The journal lists what is open, and nothing else. */
  private async expectUnresolved(check: (entry: JournalEntry) => void): Promise<void> {
    const listed = new Set<string>();
    for await (const entry of this.process.journal.unresolved()) {
      listed.add(`${entry.family} ${entry.reference}`);
      const effect = this.judge.effect(entry);
      const isSettledAway = effect?.status === 'failed' && entry.state !== 'in-flight';
      if (!isSettledAway) check(entry);
    }
    for (const slot of SLOTS) {
      const entry = await this.entry(slot);
      const isOpen =
        entry?.state === 'in-flight' ||
        entry?.state === 'unknown' ||
        (entry?.state === 'accepted' && slot.family === 'collection');
      this.judge.check(
        listed.has(`${slot.family} ${slot.reference}`) === isOpen,
        'the list of unresolved payments is wrong',
        { entry },
      );
    }
  }

  private expectHeardOnce(): void {
    const heard = this.processes.flatMap((process) => process.heard);
    for (const slot of SLOTS) {
      if (slot.family !== 'collection') continue;
      const events = heard.filter(({ data }) => data.reference === slot.reference);
      const status = this.judge.effect(slot)?.status;
      const isRight = events.length <= 1 && events.every(({ data }) => data.status === status);
      this.judge.check(isRight, 'a handler did not hear an outcome exactly once', { slot, events, status });
      this.judge.check(events.length === 1 || !status, 'a handler never heard of an outcome', {
        slot,
        status,
      });
    }
  }

  private async compare(): Promise<void> {
    this.throwFound();
    for (const slot of SLOTS) this.judge.compare(slot, await this.entry(slot));
    this.judge.compareBalance(this.startingBalance);
  }

  /** After a crash, and after two calls at once, the journal alone knows whether a payment may stand. */
  private async believeTheJournal(slot: Slot): Promise<void> {
    const stored = await this.storage.journal.get({ account: 'default', environment: 'sandbox', ...slot });
    const { state, outcome, settledBy } = stored?.record ?? {};
    // An operator's word that the gateway never had it.
    const isNothing = state === 'settled' && outcome === 'failed' && settledBy === 'operator';
    const isFree = !stored || state === 'rejected' || isNothing;
    if (isFree) this.judge.believeFree(slot);
    else this.judge.believeOpen(slot);
  }

  private async entry({ family, reference }: Slot): Promise<JournalEntry | undefined> {
    return this.process.journal.get(family, reference);
  }

  private note(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.found ??= error as Error;
    }
  }

  private throwFound(): void {
    if (this.found !== undefined) throw this.found;
  }

  private count(what: string, times = 1): void {
    this.world.seen.set(what, (this.world.seen.get(what) ?? 0) + times);
  }
}

function nameOf(result: CallResult): string {
  if (result.end !== 'rejected') return result.end;
  const { error } = result;
  if (error instanceof PaymentOutcomeUnknownError) return `unknown: ${error.evidence}`;
  return error === CALLER_GAVE_UP ? "the caller's own reason" : (error as Error).name;
}
