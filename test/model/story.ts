import { MONEY_CALLS } from '../support/operation-calls.js';
import { Checker } from './checker.js';
import { Calls } from './calls.js';
import { type Kind, kindsOf } from './coverage.js';
import { Enlistments } from './enlistments.js';
import { repeatsRequests } from './interceptors.js';
import { LedgerGateway, type SentPayment } from './gateway.js';
import { SCOPE, SLOTS } from './journal-view.js';
import { Merchant } from './merchant.js';
import { type MerchantProcess } from './merchant-process.js';
import { Outcomes } from './outcomes.js';
import { type Plan, type Slot, type Step } from './plan.js';
import { Recoveries } from './recoveries.js';
import { type StoryStorage } from './storages.js';
import { type World } from './world.js';

const RECOVERY_WINDOW_MS = 900_000;
/** Longer than `recoveryWindowMs` and every age of the purge. */
const MONTHS_MS = 200 * 86_400_000;

/** One plan, from an empty journal to its end. */
export class Story {
  /** What it has reached so far. */
  readonly reached = new Set<Kind>();
  private readonly world: World;
  private readonly outcomes: Outcomes;
  private readonly calls: Calls;
  private readonly recoveries: Recoveries;
  private readonly enlistments: Enlistments | undefined;
  private others = 0;

  /**
   * @param port On which the merchant receives webhooks.
   * @param count Hears how each call ended.
   */
  constructor(
    private readonly plan: Plan,
    private readonly store: StoryStorage,
    port: number,
    count: (end: string) => void,
  ) {
    const reach = (kind: Kind): void => {
      this.reached.add(kind);
    };
    const gateway: LedgerGateway = new LedgerGateway({
      lives: (process) => merchant.lives(process),
      arrived: (sent) => this.arrived(sent),
      moved: (effect) => {
        checker.moved(effect);
      },
      told: (effect, process) => {
        reach('a status query');
        checker.toldStatus(effect as Slot, process);
      },
    });
    const merchant: Merchant = new Merchant(plan, store.storage, gateway, reach);
    const checker = new Checker(gateway, repeatsRequests(plan.interceptor));
    this.world = { plan, merchant, gateway, checker, reach, pass: (ms) => store.pass(ms) };
    this.outcomes = new Outcomes(this.world, port);
    this.calls = new Calls(this.world, this.outcomes, count);
    this.recoveries = new Recoveries(this.world);
    const { begin } = store;
    if (begin) this.enlistments = new Enlistments(this.world, this.calls, () => begin());
  }

  get listener(): MerchantProcess['listener'] {
    return this.world.merchant.replica(0).listener;
  }

  async play(): Promise<void> {
    await this.world.merchant.start();
    for (const step of this.plan.steps) {
      this.beginStep();
      await this.perform(step);
      await this.world.merchant.replaceTheDead();
      await this.compare();
    }
    await this.end();
  }

  close(): Promise<void> {
    return this.world.merchant.close();
  }

  private beginStep(): void {
    this.world.checker.stepBegins();
    if (this.store.makesRoom) this.world.checker.mayForget(() => ['settled', 'rejected', 'accepted']);
  }

  private async perform(step: Step): Promise<void> {
    switch (step.do) {
      case 'call':
        this.recoveries.meets(step.trouble);
        return this.calls.makeOne(step);
      case 'two calls at once':
        return this.calls.makeTwo(step);
      case 'recover':
        this.recoveries.meets(step.trouble);
        return this.recoveries.run(step);
      case 'enlist':
        this.recoveries.meets(step.trouble);
        return this.enlistments?.run(step);
      case 'decide':
        return this.outcomes.decide(step.slot, step.how);
      case 'settle':
        return this.outcomes.settle(step.slot);
      case 'let late requests and writes arrive':
        return this.outcomes.letEverythingArrive();
      case 'restart':
        this.world.merchant.replica(step.replica).die();
        return;
      case 'let time pass':
        return this.world.pass(step.ms);
      case 'purge':
        return this.purge();
      case 'other payments':
        return this.otherPayments();
    }
  }

  private async arrived(sent: SentPayment): Promise<boolean> {
    const { checker, merchant, reach } = this.world;
    if (sent.reference.startsWith('other-')) return true;
    kindsOf(sent, checker.about(sent as Slot, 0)).forEach(reach);
    checker.arrived(sent);
    await this.calls.arrived(sent);
    return merchant.lives(sent.process);
  }

  private async purge(): Promise<void> {
    const { checker, merchant, reach, pass } = this.world;
    checker.mayForget(({ family }) =>
      family === 'disbursement' ? ['settled', 'rejected', 'accepted'] : ['settled', 'rejected'],
    );
    await pass(MONTHS_MS);
    const { account, environment } = SCOPE;
    for (const what of ['settled', 'rejected', 'accepted-payouts'] as const) {
      const purged = await merchant.storage.journal.purge({ account, environment }, what, MONTHS_MS / 2);
      if (purged > 0) reach('a purge');
    }
  }

  private async otherPayments(): Promise<void> {
    for (let count = 0; count < 3; count += 1) {
      this.others += 1;
      const reference = `other-${this.others}`;
      const replica = this.world.merchant.replica(0);
      await MONEY_CALLS['disbursement.bank'](replica, { reference, amount: '10' }).catch(() => undefined);
    }
  }

  private async compare(): Promise<void> {
    const { checker, merchant } = this.world;
    checker.throwFound();
    for (const slot of SLOTS) checker.compare(slot, await merchant.stored(slot));
    checker.throwFound();
  }

  /** Every payment comes to its end, and every webhook that did not get through is sent again. */
  private async end(): Promise<void> {
    const { checker, merchant, pass } = this.world;
    await this.outcomes.letEverythingArrive();
    await merchant.restartAll();
    await pass(this.plan.lastWaitMs);
    const sentBefore = checker.sent.length;
    const planned = await this.plannedSlots();
    this.beginStep();
    await this.recoveries.run({ by: 0, twice: true, requests: [], trouble: undefined });
    const isOver = this.plan.lastWaitMs > RECOVERY_WINDOW_MS;
    const probed = SLOTS.filter(
      (slot) => !planned.includes(slot) && checker.about(slot, sentBefore).length > 0,
    );
    checker.check(!isOver || probed.length === 0, 'a payment was probed too late', { probed });
    const isStopped = this.plan.interceptor === 'throws' || this.plan.interceptor === 'another key';
    const left = await this.plannedSlots();
    checker.check(isStopped || left.length === 0, 'a planned payment was not sent by recovery', { left });
    await this.compare();
    await this.expectListed();
    for (const slot of SLOTS) await this.outcomes.decide(slot, 0);
    for (const slot of SLOTS) await this.outcomes.deliverAgain(slot);
    for (const slot of SLOTS) await this.outcomes.settle(slot);
    await this.compare();
    await this.expectResolved();
    await this.expectHeardOnce();
    checker.throwFound();
  }

  private async plannedSlots(): Promise<readonly Slot[]> {
    const { merchant, checker } = this.world;
    const stored = await Promise.all(SLOTS.map((slot) => merchant.stored(slot)));
    return SLOTS.filter((slot, at) => stored[at]?.state === 'planned' && !checker.isLost(slot));
  }

  /** Whatever is open is listed, so that somebody can look at it. */
  private async expectListed(): Promise<void> {
    const { checker, merchant } = this.world;
    const listed = new Set<string>();
    for await (const { family, reference } of merchant.replica(0).journal.unresolved())
      listed.add(`${family} ${reference}`);
    for (const slot of SLOTS) {
      const state = (await merchant.stored(slot))?.state;
      const mayClose = slot.family === 'collection' || this.plan.asksForStatus;
      const isOpen =
        state === 'planned' ||
        state === 'unknown' ||
        state === 'in-flight' ||
        (state === 'accepted' && mayClose);
      const isListed = listed.has(`${slot.family} ${slot.reference}`);
      checker.check(!isOpen || isListed, 'an open payment is not listed', { slot, state });
    }
  }

  /** Nothing is open at the end but payouts that the gateway took, which nobody says more about. */
  private async expectResolved(): Promise<void> {
    const { checker, merchant, gateway } = this.world;
    for await (const entry of merchant.replica(0).journal.unresolved()) {
      if (entry.reference.startsWith('other-')) continue;
      const effect = gateway.effectsOf(entry as Slot).at(-1);
      const isToldToNobody = effect?.status === 'failed' || entry.family === 'disbursement';
      checker.check(isToldToNobody, 'a payment is still unresolved', { entry });
    }
  }

  /** A failure that may be of an earlier attempt is set aside, and handled only once somebody releases it. */
  private async expectHeardOnce(): Promise<void> {
    const { checker, merchant, gateway } = this.world;
    const aside = await merchant.storage.conflicts.list(SCOPE, { limit: 100 });
    const heard = merchant.processes.flatMap((process) => process.heard);
    for (const slot of SLOTS) {
      if (slot.family !== 'collection' || checker.isLost(slot)) continue;
      const [effect] = gateway.effectsOf(slot);
      const events = heard.filter(({ data }) => data.reference === slot.reference).map(({ event }) => event);
      const expected = effect ? [`payment.${effect.status}`] : [];
      const isSetAside =
        effect?.status !== 'success' &&
        aside.some(({ reference, event }) => reference === slot.reference && expected.includes(event));
      const hasSubscribers = events.length === expected.length && events[0] === expected[0];
      const isRight = hasSubscribers || (isSetAside && events.length === 0);
      checker.check(isRight, 'an outcome was not handled exactly once', { slot, events, expected });
    }
  }
}
