import { inspect } from 'node:util';
import {
  isPaymentsError,
  type JournalEntry,
  PaymentOutcomeUnknownError,
  type PaymentsError,
  PaymentsStorageError,
  PaymentsValidationError,
  ReferenceReusedError,
} from '../../lib/index.js';
import { type PaymentsSandbox } from '../../lib/sandbox/index.js';
import { type WireRequest } from './faulty-wire.js';
import { type PlannedCall, type Slot } from './plan.js';

/** How a call ended. */
export type CallResult =
  | { readonly end: 'resolved'; readonly value: { readonly reference: string; readonly amount: string } }
  | { readonly end: 'rejected'; readonly error: unknown }
  /** The process ended before the call did. */
  | { readonly end: 'died' };

/** What stands in the gateway's books under a reference. */
export interface Effect {
  readonly channel: 0 | 1;
  readonly amount: string;
  readonly status: string;
}

export const SLOTS: readonly Slot[] = (['collection', 'disbursement'] as const).flatMap((family) =>
  ['first', 'second'].map((reference) => ({ family, reference })),
);

export const CALLER_GAVE_UP = new Error('the caller gave up');

/** What the merchant may believe about a reference: nothing was done under it, or something may have been. */
type Belief = 'free' | 'open';

/** Compares what the package says with what the emulator's books hold. Throws where they contradict each other. */
export class Judge {
  private readonly beliefs = new Map<string, Belief>();
  private readonly keysOfEffects = new Map<string, string>();
  private readonly requests: WireRequest[] = [];
  /** Requests that definitely did nothing: whatever comes next may be another one. */
  private readonly forgiven = new Set<WireRequest>();

  constructor(private readonly sandbox: PaymentsSandbox) {}

  /** Every try of a payment that may stand carries the same bytes. */
  sent(request: WireRequest): void {
    const sameKey = this.requests.findLast(({ key }) => key === request.key);
    this.check(
      !sameKey ||
        this.forgiven.has(sameKey) ||
        (sameKey.body === request.body && sameKey.path === request.path),
      'one key carried two different requests',
      { first: sameKey, then: request },
    );
    this.requests.push(request);
  }

  /** The emulator has processed a request: only the key that made a payment may ever ask for it again. */
  processed(slot: Slot, key: string): void {
    if (!this.effect(slot)) return;
    const standing = this.keysOfEffects.get(id(slot));
    this.check(standing === undefined || standing === key, 'a payment was sent again under another key', {
      slot,
    });
    this.keysOfEffects.set(id(slot), key);
  }

  /** How many requests have been sent so far. */
  get sentSoFar(): number {
    return this.requests.length;
  }

  /** A call that was made alone has ended. */
  ended(call: PlannedCall, result: CallResult, sentBefore: number, standing: JournalEntry | undefined): void {
    const before = this.belief(call);
    const about = (requests: readonly WireRequest[]): WireRequest[] =>
      requests.filter((request) => concerns(request, call));
    const sent = about(this.requests.slice(sentBefore));
    // One that was written down may have been cut off before it was sent.
    const known = new Set([
      standing?.idempotencyKey,
      ...about(this.requests.slice(0, sentBefore)).map(({ key }) => key),
    ]);
    if (before === 'open') {
      this.check(
        sent.every(({ key }) => known.has(key)),
        'another key was sent while a payment may stand',
        { call },
      );
    }
    this.check(new Set(sent.map(({ key }) => key)).size <= 1, 'one call sent two keys', { call });
    if (sent.length > 0) this.beliefs.set(id(call), 'open');
    this.judge(call, result, before);
    if (result.end !== 'rejected') return;
    if (sendsNothing(result.error)) {
      this.check(sent.length === 0, 'a call that says it sent nothing sent something', { call, result });
    }
  }

  /** Two calls that were made at once have ended. */
  endedTogether(calls: readonly PlannedCall[], results: readonly CallResult[], sentBefore: number): void {
    const before = calls.map((call) => this.belief(call));
    if (this.requests.length > sentBefore) this.beliefs.set(id(calls[0]!), 'open');
    // What the ones say that sent something is the last word about what may be believed.
    const order = [...calls.keys()].sort((one, other) => weight(results[one]!) - weight(results[other]!));
    for (const index of order) {
      const others = results.filter((_, other) => other !== index);
      this.judge(
        calls[index]!,
        results[index]!,
        before[index]!,
        others.every((each) => weight(each) === 0),
      );
    }
  }

  /** Whoever recovers, and however many at once: each payment is probed once, with the key in the journal. */
  recovered(sentBefore: number, entries: readonly (JournalEntry | undefined)[], mayRetry: boolean): void {
    for (const [index, slot] of SLOTS.entries()) {
      const probes = this.requests.slice(sentBefore).filter((request) => concerns(request, slot));
      const isKnown = probes.every(({ key }) => key === entries[index]?.idempotencyKey);
      this.check(isKnown, 'a probe carried another key', { slot, probes });
      this.check(mayRetry || probes.length <= 1, 'a payment was probed twice', { slot });
    }
  }

  /** What is in the journal never contradicts the books. */
  compare(slot: Slot, entry: JournalEntry | undefined): void {
    const effect = this.effect(slot);
    const facts = { slot, entry, effect };
    if (effect) {
      this.check(entry !== undefined, 'a payment was made that is not in the journal', facts);
      this.check(entry?.state !== 'rejected', 'a payment was made that the journal calls rejected', facts);
      this.check(
        this.belief(slot) === 'open',
        'a payment was made although the call said that nothing was',
        facts,
      );
    }
    if (entry?.state === 'accepted')
      this.check(effect !== undefined, 'an accepted payment was not made', facts);
    if (entry?.state === 'settled') {
      const isNothing = !effect && entry.outcome === 'failed';
      this.check(
        isNothing || effect?.status === entry.outcome,
        'a payment is settled with another outcome',
        facts,
      );
    }
    if (effect && (entry?.state === 'accepted' || entry?.state === 'settled')) {
      const same = entry.amount === effect.amount && entry.operation === operationOf(slot, effect.channel);
      this.check(same, 'the journal holds another payment than was made', facts);
    }
  }

  /** An operator said that nothing was done, or the journal itself has let go of the payment. */
  believeFree(slot: Slot): void {
    this.beliefs.set(id(slot), 'free');
    for (const request of this.requests) if (concerns(request, slot)) this.forgiven.add(request);
  }

  /** The journal holds a payment that was begun. */
  believeOpen(slot: Slot): void {
    this.beliefs.set(id(slot), 'open');
  }

  effect({ family, reference }: Slot): Effect | undefined {
    if (family === 'collection') {
      const made = this.sandbox.payments().filter((payment) => payment.reference === reference);
      this.check(made.length <= 1, 'two payments have one reference', { reference });
      return made[0] && { ...made[0], channel: made[0].payment_method === 'partnerpesa' ? 1 : 0 };
    }
    const made = this.sandbox.payouts().filter((payout) => payout.reference === reference);
    this.check(made.length <= 1, 'two payouts have one reference', { reference });
    return made[0] && { ...made[0], channel: made[0].kind === 'mobile-money' ? 1 : 0 };
  }

  /** The wallet holds what the payments and payouts add up to. */
  compareBalance(startingBalance: number): void {
    const sum = (amounts: readonly (number | string)[]): number =>
      amounts.reduce<number>((total, each) => total + cents(each), 0);
    const received = sum(
      this.sandbox
        .payments()
        .filter(({ status }) => status === 'success')
        .map(({ net_amount }) => net_amount),
    );
    const payouts = this.sandbox.payouts();
    const paid = sum(
      payouts.filter(({ status }) => status === 'paid').map(({ total_amount }) => total_amount),
    );
    const locked = sum(
      payouts.filter(({ status }) => status === 'processing').map(({ total_amount }) => total_amount),
    );
    const { balance, locked_balance } = this.sandbox.balance();
    this.check(
      cents(balance) === cents(startingBalance) + received - paid,
      'the balance is not the sum of the effects',
      { balance },
    );
    this.check(cents(locked_balance) === locked, 'the locked money is not the sum of the open payouts', {
      locked_balance,
    });
  }

  /** Whether a call was told that nothing was done. */
  isRefusal(result: CallResult): boolean {
    if (result.end !== 'rejected' || sendsNothing(result.error)) return false;
    return !(result.error instanceof PaymentOutcomeUnknownError);
  }

  belief(slot: Slot): Belief {
    return this.beliefs.get(id(slot)) ?? 'free';
  }

  check(holds: boolean, problem: string, facts: object): void {
    if (!holds) throw new Error(`${problem}\n${inspect(facts, { depth: 6, breakLength: 120 })}`);
  }

  private judge(call: PlannedCall, result: CallResult, before: Belief, alone = true): void {
    const effect = this.effect(call);
    const facts = { call, result, effect, before };
    if (result.end === 'resolved') {
      this.check(effect !== undefined, 'a call resolved without a payment', facts);
      const same = effect?.channel === call.channel && effect.amount === call.amount;
      this.check(same, 'a call resolved with another payment', facts);
      const { reference, amount } = result.value;
      this.check(
        reference === call.reference && amount === call.amount,
        'a call resolved with another record',
        facts,
      );
    }
    if (result.end !== 'rejected') {
      if (result.end === 'resolved') this.beliefs.set(id(call), 'open');
      return;
    }
    const { error } = result;
    if (error === CALLER_GAVE_UP) return;
    this.check(isPaymentsError(error), 'a call rejected with an error of somebody else', facts);
    // It speaks of the payment that stands, not of the one that was asked for.
    if (error instanceof ReferenceReusedError) return;
    const unknown = error instanceof PaymentOutcomeUnknownError;
    this.check(
      (error as PaymentsError).mayHaveBeenProcessed === unknown,
      'the error contradicts itself',
      facts,
    );
    if (unknown) {
      // Another process has it in its hands, and its word counts.
      if (error.evidence !== 'in-flight') this.beliefs.set(id(call), 'open');
    } else if (!sendsNothing(error)) {
      this.check(before === 'free', 'a payment that may stand was called refused', facts);
      // Between two calls at once, one may be refused, and the other come through as the next attempt.
      this.check(!alone || effect === undefined, 'a payment that was made was called refused', facts);
      this.believeFree(call);
    }
  }
}

function sendsNothing(error: unknown): boolean {
  return (
    error === CALLER_GAVE_UP ||
    error instanceof ReferenceReusedError ||
    error instanceof PaymentsValidationError ||
    error instanceof PaymentsStorageError
  );
}

/** How much a result says about what may stand. */
function weight(result: CallResult): number {
  if (result.end === 'resolved') return 2;
  const isOpen = result.end === 'rejected' && result.error instanceof PaymentOutcomeUnknownError;
  return isOpen && result.error.evidence !== 'in-flight' ? 1 : 0;
}

export function operationOf({ family }: Slot, channel: 0 | 1): JournalEntry['operation'] {
  if (family === 'collection') return channel === 0 ? 'collection.mobile-money' : 'collection.partner-wallet';
  return channel === 0 ? 'disbursement.bank' : 'disbursement.mobile-money';
}

function concerns({ operation, reference }: WireRequest, slot: Slot): boolean {
  return reference === slot.reference && operation.includes('/payments/') === (slot.family === 'collection');
}

function cents(amount: number | string): number {
  return Math.round(Number(amount) * 100);
}

function id({ family, reference }: Slot): string {
  return `${family} ${reference}`;
}
