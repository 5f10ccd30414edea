import { type SandboxDelivery, type SandboxPayment, type SandboxPayout } from '../control/records.js';
import { assertOperation } from '../core/assert-operation.js';
import { type SandboxOperation } from '../core/operation-name.js';
import { operationOf } from '../core/router.js';
import {
  assertBody,
  assertCount,
  assertDecidable,
  assertEvent,
  assertNames,
  assertStatus,
} from './expectation-checks.js';
import {
  ANSWER_STATUS,
  misfits,
  nearestMisfits,
  PAYMENT_FIELDS,
  PAYOUT_FIELDS,
  printed,
} from './expected-fields.js';
import { type ExpectedFields, type MatcherContext, type MatcherResult, verdict } from './matcher-result.js';
import { compareCalls } from './received-calls.js';
import { type MatcherSubject, subjectOf } from './subject.js';

/**
 * The requests to count.
 *
 * @publicApi
 */
export interface ExpectedRequest {
  /** The expected number of requests. @default at least one */
  readonly times?: number;
  /** Fields that the specification gives the operation's body; they may be asymmetric matchers such as `expect.any(Number)`. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** HTTP status of the answer; null without an answer. */
  readonly status?: number | null;
}

/**
 * The deliveries to count.
 *
 * @publicApi
 */
export interface ExpectedDelivery {
  /** The merchant's reference. @default any */
  readonly reference?: string;
  /** The number of tries. */
  readonly attempts?: number;
  /** HTTP status of the last answer. */
  readonly status?: number | null;
}

/**
 * Matchers for a sandbox or one of its merchants. A matcher that fails prints what happened to the reference.
 * The matchers need no import of Jest or Vitest.
 *
 * @example
 * ```ts
 * import { sandboxMatchers, type SandboxMatchers } from 'nestjs-payments/sandbox';
 *
 * expect.extend(sandboxMatchers);
 * expect(sandbox).toHaveCollection('order-1', { status: 'success', amount: '15000.00' });
 *
 * // Types, once in the project, for `expect` of `@jest/globals`; docs/sandbox.md has `@types/jest` and Vitest:
 * declare module 'expect' {
 *   interface Matchers<R> extends SandboxMatchers<R> {}
 * }
 * ```
 *
 * @publicApi
 */
export const sandboxMatchers = {
  /** {@inheritDoc SandboxMatchers.toHaveReceived} */
  toHaveReceived(
    this: MatcherContext,
    received: unknown,
    operation: SandboxOperation,
    expected: ExpectedRequest = {},
  ): MatcherResult {
    const subject = subjectOf(received);
    assertOperation(operation);
    assertNames('toHaveReceived', expected, ['times', 'body', 'status']);
    const { times, body = {}, status } = expected;
    assertCount('toHaveReceived', 'times', times, 0);
    assertStatus('toHaveReceived', status);
    assertBody(operation, body);
    const ofOperation = subject.requests().filter((request) => operationOf(request)?.operation === operation);
    const wanted = { ...body, ...(status !== undefined && { [ANSWER_STATUS]: status }) };
    const { found, unclear, misfits } = compareCalls(this, ofOperation, wanted);
    assertDecidable(subject, operation, { times, found, unclear });
    const pass = times === undefined ? found > 0 : found === times;
    const count = times === undefined ? 'a request' : `${times} requests`;
    const texts = {
      expected: `to have received ${count} ${operation} ${printed(wanted)}`,
      found: `${found} of ${ofOperation.length} requests of that operation`,
      misfits: found === 0 ? misfits : [],
    };
    const references = ofOperation.flatMap(({ reference }) => reference ?? []);
    return verdict(pass, this, texts, subject, references);
  },

  /** {@inheritDoc SandboxMatchers.toHaveCollection} */
  toHaveCollection(
    this: MatcherContext,
    received: unknown,
    reference: string,
    expected: ExpectedFields<SandboxPayment> = {},
  ): MatcherResult {
    const subject = subjectOf(received);
    assertNames('toHaveCollection', expected, Object.keys(PAYMENT_FIELDS));
    return havingRecord(this, subject, 'collection', subject.payments(), reference, expected);
  },

  /** {@inheritDoc SandboxMatchers.toHavePayout} */
  toHavePayout(
    this: MatcherContext,
    received: unknown,
    reference: string,
    expected: ExpectedFields<SandboxPayout> = {},
  ): MatcherResult {
    const subject = subjectOf(received);
    assertNames('toHavePayout', expected, Object.keys(PAYOUT_FIELDS));
    return havingRecord(this, subject, 'payout', subject.payouts(), reference, expected);
  },

  /** {@inheritDoc SandboxMatchers.toHavePaidOnce} */
  toHavePaidOnce(this: MatcherContext, received: unknown, reference: string): MatcherResult {
    const subject = subjectOf(received);
    const succeeded = [...subject.payments(), ...subject.payouts()].filter(({ status }) =>
      ['success', 'paid'].includes(status),
    );
    // The customer of a payment whose reference was used again has paid anyway.
    const all: readonly { readonly reference: string }[] = [...succeeded, ...subject.replacedPayments()];
    const moved = all.filter((record) => record.reference === reference);
    const texts = {
      expected: `to have moved the money of ${reference} exactly once`,
      found: `${moved.length} payments and payouts that succeeded`,
    };
    return verdict(moved.length === 1, this, texts, subject, [reference]);
  },

  /** {@inheritDoc SandboxMatchers.toHaveDelivered} */
  toHaveDelivered(
    this: MatcherContext,
    received: unknown,
    event: SandboxDelivery['event'],
    expected: ExpectedDelivery = {},
  ): MatcherResult {
    const subject = subjectOf(received);
    assertEvent(event);
    assertNames('toHaveDelivered', expected, ['reference', 'attempts', 'status']);
    const { reference, attempts, status } = expected;
    assertCount('toHaveDelivered', 'attempts', attempts, 1);
    assertStatus('toHaveDelivered', status);
    const ofEvent = subject
      .deliveries()
      .filter(
        (delivery) => delivery.event === event && (reference ?? delivery.reference) === delivery.reference,
      );
    const pass = ofEvent.some(
      (delivery) =>
        delivery.state === 'delivered' &&
        (attempts ?? delivery.attempts.length) === delivery.attempts.length &&
        (status === undefined || this.equals(delivery.status, status)),
    );
    const states = ofEvent.map((delivery) => `${delivery.state} after ${delivery.attempts.length} tries`);
    const texts = {
      expected: `to have delivered ${event} ${printed(expected)}`,
      found: states.join(', ') || 'no such event',
    };
    const references = reference === undefined ? ofEvent.map(ownReference) : [reference];
    return verdict(pass, this, texts, subject, references);
  },

  /** {@inheritDoc SandboxMatchers.toHaveNoFailedDeliveries} */
  toHaveNoFailedDeliveries(this: MatcherContext, received: unknown): MatcherResult {
    const subject = subjectOf(received);
    const failed = subject
      .deliveries()
      .filter(({ attempts }) => attempts.some(({ problem, forged }) => problem !== null && !forged));
    const texts = {
      expected: 'to have no try of a delivery that failed',
      found: `${failed.length} deliveries with one`,
    };
    return verdict(failed.length === 0, this, texts, subject, failed.map(ownReference));
  },
};

/**
 * The types of `sandboxMatchers` on `expect(…)`. `R` is a matcher's return type.
 *
 * @publicApi
 */
export interface SandboxMatchers<R = void> {
  /**
   * The application called a gateway operation, `times` times.
   *
   * @throws PaymentsConfigError if the specification knows no such operation, or no such field of its body, if `times` or `status`
   * is impossible, and if nothing can be said: the emulator dropped older calls of the operation, or kept only the beginning of a
   * body of more than 64 KiB. Of such a body it knows the reference.
   */
  toHaveReceived(operation: SandboxOperation, expected?: ExpectedRequest): R;
  /** This reference has a collection whose fields fit. */
  toHaveCollection(reference: string, expected?: ExpectedFields<SandboxPayment>): R;
  /** This reference has a payout whose fields fit. */
  toHavePayout(reference: string, expected?: ExpectedFields<SandboxPayout>): R;
  /** Exactly one collection or payout of this reference succeeded. */
  toHavePaidOnce(reference: string): R;
  /**
   * A receiver answered 200 to an event.
   *
   * @throws PaymentsConfigError if the emulator sends no such event, or `attempts` or `status` is impossible.
   */
  toHaveDelivered(event: SandboxDelivery['event'], expected?: ExpectedDelivery): R;
  /** No try of any delivery failed, except those with a signature forged on purpose. */
  toHaveNoFailedDeliveries(): R;
}

function ownReference({ reference }: { readonly reference: string }): string {
  return reference;
}

function havingRecord(
  context: MatcherContext,
  subject: MatcherSubject,
  what: 'collection' | 'payout',
  records: readonly (SandboxPayment | SandboxPayout)[],
  reference: string,
  expected: object,
): MatcherResult {
  const named = records.filter((record) => record.reference === reference);
  const texts = {
    expected: `to have a ${what} ${reference} ${printed(expected)}`,
    found: named.map(({ status, amount }) => `${status}, ${amount}`).join('; ') || 'none',
    misfits: nearestMisfits(context, named, expected),
  };
  const pass = named.some((record) => misfits(context, record, expected).length === 0);
  return verdict(pass, context, texts, subject, [reference]);
}
