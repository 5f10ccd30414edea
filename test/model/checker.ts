import { inspect } from 'node:util';
import { ABOUT_ANOTHER, type Belief, beliefAfter, type CallResult } from './call-result.js';
import {
  type Effect,
  type LedgerGateway,
  mayHaveRefused,
  type SentPayment,
  wasSlowedDown,
  wasTurnedAway,
} from './gateway.js';
import { CHANGED_KEY } from './interceptors.js';
import { journalProblem } from './journal-problem.js';
import { isFreed, type JournalView, SLOTS } from './journal-view.js';
import { type PlannedCall, type Slot } from './plan.js';
import { resultProblem } from './result-problem.js';

/** What is known of one reference. */
class SlotFacts {
  belief: Belief = 'nothing';
  /** Calls that are being made, by process. */
  readonly calling = new Map<number, number>();
  /** Set while a call waits for its answer, and nobody else may act. */
  heldBy: number | undefined;
  /** Keys that were sent or written down for it, and how often the gateway had each in its hands. */
  readonly keys = new Map<string, number>();
  /** Processes that the gateway told in this step that it has the payment. */
  readonly told = new Set<number>();
  /** A webhook with its end was answered 200, or the journal held it as ended: it never goes back. */
  ended = false;
  /** The state in which the journal held it last. */
  state: string | undefined;
  /** A transaction that is committed has enlisted it, and its attempt has not ended. */
  planned = false;
  /** The storage lost the payment, and with it every promise about it: nothing is checked any more. */
  lost = false;
  /** The journal held that the gateway refused a try of it. */
  wasRefused = false;
  /** Keys whose callers allowed one try only, and that are spent. */
  readonly spent = new Set<string>();
  /** The journal may have forgotten the payment, because a purge ran. */
  purgeTargets = false;

  remember(key: string): void {
    if (!this.keys.has(key)) this.keys.set(key, 0);
  }

  free(): void {
    this.belief = 'nothing';
    this.keys.clear();
    this.spent.clear();
  }
}

/** What the checker reports: the first line of its message is the problem. */
export class Violation extends Error {
  /** @param facts What shows it. */
  constructor(
    readonly problem: string,
    facts: object,
  ) {
    super(`${problem}\n${inspect(facts, { depth: 6, breakLength: 120 })}`);
    this.name = 'Violation';
  }
}

/** Compares what the package says with what the gateway's ledger holds. Throws if they contradict each other. */
export class Checker {
  readonly sent: SentPayment[] = [];
  private readonly facts = new Map<string, SlotFacts>();
  /** The first contradiction. A request that nobody waits for may have found it. */
  private found: Violation | undefined;

  /** @param mayRepeat Whether somebody beside the package sends requests again. */
  constructor(
    private readonly gateway: Pick<LedgerGateway, 'effectsOf' | 'awaits'>,
    private readonly mayRepeat: boolean,
  ) {}

  throwFound(): void {
    if (this.found !== undefined) throw this.found;
  }

  /** A payment came to the gateway. */
  arrived(sent: SentPayment): void {
    const facts = this.of(sent as Slot);
    if (facts.lost) return;
    const first = this.sent.findLast(({ key }) => key === sent.key);
    const isOther = first && (first.body !== sent.body || first.path !== sent.path);
    this.check(!isOther, 'one key carried two different requests', { first, sent });
    this.check(!sent.key.startsWith(CHANGED_KEY), 'a request that an interceptor had changed was sent', {
      sent,
    });
    this.check(
      !facts.spent.has(sent.key) || this.mayRepeat,
      'a payment was sent again whose caller allowed one try only',
      { sent },
    );
    const isCalled = facts.calling.size > 0;
    this.check(
      isCalled || facts.planned || facts.belief === 'open',
      'a payment was sent that its caller was told was never sent',
      { sent },
    );
    this.check(
      facts.heldBy === undefined || facts.heldBy === sent.process,
      'a payment was sent by one replica while another one was making it',
      { sent },
    );
    this.check(
      (facts.belief === 'nothing' && !facts.planned) || facts.keys.has(sent.key),
      'another key was sent while a payment may exist',
      { sent, keys: [...facts.keys.keys()] },
    );
    this.check(!facts.told.has(sent.process), 'a payment was sent although its status was known', { sent });
    const times = facts.keys.get(sent.key) ?? 0;
    this.check(times < 2 || this.mayRepeat, 'a payment was tried more than once more', {
      sent,
      times,
    });
    // Nobody who sends it without a caller says how that ended.
    if (!isCalled && facts.planned && !wasSlowedDown(sent)) facts.belief = 'open';
    facts.keys.set(sent.key, times + (wasTurnedAway(sent) ? 0 : 1));
    this.sent.push(sent);
  }

  /** Money moved. */
  moved(effect: Effect): void {
    const effects = this.gateway.effectsOf(effect as Slot);
    const { lost } = this.of(effect as Slot);
    this.check(effects.length <= 1 || lost, 'money moved twice', { effects });
  }

  /** A step of the story begins. */
  stepBegins(): void {
    for (const slot of SLOTS) this.of(slot).told.clear();
  }

  /** The gateway told a process that it has the payment. */
  toldStatus(slot: Slot, process: number): void {
    this.of(slot).told.add(process);
  }

  /** A webhook with the end of a payment was answered 200, or an operator's word was written down. */
  heardEnd(slot: Slot): void {
    this.of(slot).ended = true;
  }

  /** A call begins. */
  begins(call: PlannedCall, process: number, existing: JournalView | undefined): void {
    const facts = this.of(call);
    facts.calling.set(process, (facts.calling.get(process) ?? 0) + 1);
    // Its process has written down later that it was refused, or the call that died since an operator freed it never began.
    if (existing && isFreed(existing)) facts.free();
    if (existing) facts.remember(existing.idempotencyKey);
  }

  /** A transaction with the payment was committed. */
  plans(slot: Slot, key: string, existing: JournalView | undefined): void {
    const facts = this.of(slot);
    if (existing && isFreed(existing)) facts.free();
    facts.planned = true;
    facts.remember(key);
  }

  /** Calls that were made at once have ended. The result that says most about what may exist counts. */
  ended(
    calls: readonly PlannedCall[],
    results: readonly CallResult[],
    sentBefore: number,
    existing: JournalView | undefined,
  ): void {
    const [slot] = calls;
    if (!slot) return;
    const facts = this.of(slot);
    facts.calling.clear();
    if (existing) facts.remember(existing.idempotencyKey);
    const before = facts.belief;
    calls.forEach((call, index) => {
      this.checkResult(call, results[index] ?? { end: 'died' }, sentBefore, calls.length === 1);
    });
    const ends = results.map((result) => beliefAfter(result));
    if (ends.includes('open')) facts.belief = 'open';
    else if (ends.includes('nothing'))
      facts.belief = before === 'open' && !ends.includes('freed') ? 'open' : 'nothing';
    if (ends.every((end) => end === 'freed')) facts.belief = 'nothing';
    if (facts.belief === 'nothing') facts.keys.clear();
    if (facts.planned && existing) facts.remember(existing.idempotencyKey);
    const isOver = existing?.state === 'planned' && results.some((result) => saysOver(result));
    this.check(!isOver || facts.lost, 'a payment that stays planned is said to be over', {
      results,
      existing,
    });
  }

  /** The gateway refused the payment of a call: a call that ran beside it may begin the payment again. */
  refused(slot: Slot): void {
    const facts = this.of(slot);
    facts.planned = false;
    for (const key of facts.keys.keys()) facts.keys.set(key, 0);
  }

  /** Nobody listened at the gateway's address while a first call was made, and no connection to it was left. */
  neverLeft(call: PlannedCall, result: CallResult): void {
    const isUnknown = result.end === 'rejected' && result.error.name === 'PaymentOutcomeUnknownError';
    this.check(!isUnknown, 'a payment that never left this machine is called unknown', { call, result });
  }

  /** A call that allowed one try only has ended: what it sent and nobody knows the end of, nobody sends again. */
  allowedOneTry(call: PlannedCall, result: CallResult, sentBefore: number): void {
    const isUnknown = result.end === 'rejected' && result.error.name === 'PaymentOutcomeUnknownError';
    if (!isUnknown && result.end !== 'died') return;
    const sent = this.about(call, sentBefore).filter((each) => !wasTurnedAway(each));
    for (const { key } of sent) this.of(call).spent.add(key);
  }

  /** Nobody but this process may act on a payment until its call has ended. */
  hold(slot: Slot, process: number | undefined): void {
    this.of(slot).heldBy = process;
  }

  /** An operator said that nothing was done. */
  freed(slot: Slot): void {
    this.of(slot).free();
  }

  lost(slot: Slot): void {
    this.of(slot).lost = true;
  }

  /** The journal was purged: it may forget what it last held in one of these states. */
  mayForget(states: (slot: Slot) => readonly string[]): void {
    for (const slot of SLOTS) {
      const facts = this.of(slot);
      facts.purgeTargets ||= facts.state !== undefined && states(slot).includes(facts.state);
    }
  }

  /** What is in the journal never contradicts the ledger, nor the results that callers got. */
  compare(slot: Slot, entry: JournalView | undefined): void {
    const effects = this.gateway.effectsOf(slot);
    const facts = this.of(slot);
    const { state: before, wasRefused } = facts;
    facts.state = entry?.state ?? facts.state;
    if (facts.lost) return;
    this.check(
      !wasRefused || before === 'rejected' || entry === undefined || !saysFailedByItself(entry),
      'a failure that may be that of a refused try has ended the payment',
      { slot, entry, before },
    );
    const isRefused = entry?.state === 'rejected' && this.about(slot, 0).some(mayHaveRefused);
    facts.wasRefused = entry !== undefined && (wasRefused || isRefused);
    const { belief, purgeTargets, ended, planned } = facts;
    const judged = { entry, effects, belief, purgeTargets, hasEnded: ended, isPlanned: planned };
    const problem = journalProblem(judged);
    if (problem !== undefined) this.check(false, problem, { slot, ...judged });
    // What its call could not write may yet put it back.
    facts.planned &&= entry?.state === 'planned' || entry?.state === 'in-flight';
    // Whatever was sent of it was turned away, and the next call begins again.
    if (entry?.state === 'planned') facts.keys.set(entry.idempotencyKey, 0);
    facts.ended ||= entry?.state === 'settled' && effects.length > 0;
  }

  /** What was sent for a reference since then. */
  about(slot: Slot, from: number): readonly SentPayment[] {
    return this.sent
      .slice(from)
      .filter(({ family, reference }) => family === slot.family && reference === slot.reference);
  }

  isLost(slot: Slot): boolean {
    return this.of(slot).lost;
  }

  check(holds: boolean, problem: string, facts: object): void {
    if (holds) return;
    this.found ??= new Violation(problem, facts);
  }

  private checkResult(call: PlannedCall, result: CallResult, sentBefore: number, isAlone: boolean): void {
    const { belief, ended, lost } = this.of(call);
    if (lost) return;
    const judged = {
      call,
      result,
      effects: this.gateway.effectsOf(call),
      before: belief,
      sent: this.about(call, sentBefore),
      isAlone,
      hasEnded: ended,
      isOnItsWay: this.gateway.awaits(call),
    };
    const problem = resultProblem(judged);
    if (problem !== undefined) this.check(false, problem, judged);
  }

  private of({ family, reference }: Slot): SlotFacts {
    const id = `${family} ${reference}`;
    const facts = this.facts.get(id) ?? new SlotFacts();
    this.facts.set(id, facts);
    return facts;
  }
}

/** Whether the gateway said that no money moved, and no operator looked at it. */
function saysFailedByItself({ state, outcome, settledBy }: JournalView): boolean {
  return state === 'settled' && settledBy !== 'operator' && outcome !== 'success' && outcome !== 'paid';
}

/** A caller that gets this result may pay in another way. */
function saysOver(result: CallResult): boolean {
  if (result.end !== 'rejected' || ABOUT_ANOTHER.includes(result.error.name)) return false;
  return result.error.mayHaveBeenProcessed === false;
}
