// What is known of payments whose outcome is open.
import {
  type JournalEntry,
  type JournalState,
  type MoneyOperation,
  type OutcomeEvidence,
  type OutcomeOf,
  type PaymentFamily,
  type PaymentOutcome,
  type PaymentsJournal,
  type PaymentsModuleOptions,
  type RecoveryReport,
  type SettledJournalEntry,
} from 'nestjs-payments';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<JournalState, 'planned' | 'in-flight' | 'accepted' | 'rejected' | 'unknown' | 'settled'>>,
  Expect<Equal<PaymentOutcome, 'success' | 'paid' | 'failed' | 'cancelled' | 'expired'>>,
  Expect<Equal<JournalEntry['operation'], MoneyOperation>>,
  Expect<Equal<JournalEntry['evidence'], OutcomeEvidence | undefined>>,
  Expect<Equal<JournalEntry['outcome'], PaymentOutcome | undefined>>,
  Expect<Equal<OutcomeOf<'collection'>, 'success' | 'failed' | 'cancelled' | 'expired'>>,
  Expect<Equal<OutcomeOf<'disbursement'>, 'paid' | 'failed' | 'cancelled'>>,
  Expect<Equal<OutcomeOf<PaymentFamily>, PaymentOutcome>>,
  Expect<Equal<JournalEntry<'disbursement'>['outcome'], OutcomeOf<'disbursement'> | undefined>>,
  Expect<Equal<JournalEntry<'disbursement'>['family'], 'disbursement'>>,
  Expect<Equal<JournalEntry['createdAt'], Date>>,
  Expect<
    Equal<
      keyof RecoveryReport,
      'probed' | 'sent' | 'settled' | 'stillUnknown' | 'failed' | 'unlisted' | 'unfinished'
    >
  >,
];

export async function journal(payments: PaymentsJournal, family: PaymentFamily): Promise<unknown[]> {
  const seen: unknown[] = [];
  const entry: JournalEntry | undefined = await payments.get(family, 'order-1');
  for await (const { reference, attempt } of payments.unresolved())
    seen.push(reference.trim(), attempt.toFixed());
  for await (const open of payments.unresolved({ olderThanMs: 60_000 })) seen.push(open.idempotencyKey);
  const { probed, settled, stillUnknown }: RecoveryReport = await payments.recover();
  const ended: JournalEntry = await payments.settle('disbursement', 'salary-1', 'paid');
  const signal = new AbortController().signal;
  const waited: SettledJournalEntry = await payments.waitForOutcome(family, 'order-1', {
    timeoutMs: 1_000,
    signal,
  });
  const { state, outcome } = waited;
  const decided: ['settled', PaymentOutcome] = [state, outcome];
  // @ts-expect-error a wait needs an end
  await payments.waitForOutcome(family, 'order-1');
  // @ts-expect-error no final status of the specification
  await payments.settle(family, 'order-1', 'pending');
  await payments.settle(family, 'order-1', 'failed', { attempt: 1 });
  return [...seen, entry, probed, settled, stillUnknown, ended, decided];
}

/** A payout that was paid says `paid`, and a collection `success`. */
export async function paidTwice(payments: PaymentsJournal): Promise<string> {
  const payout = await payments.waitForOutcome('disbursement', 'salary-1', { timeoutMs: 1_000 });
  // @ts-expect-error a payout never says success
  if (payout.outcome !== 'success') await Promise.resolve('pays again');
  const known = await payments.get('collection', 'order-1');
  // @ts-expect-error a collection never says paid
  if (known?.outcome === 'paid') await Promise.resolve('never');
  // @ts-expect-error a payout never ends with success
  await payments.settle('disbursement', 'salary-1', 'success');
  // @ts-expect-error a collection never ends with paid
  await payments.settle('collection', 'order-1', 'paid');
  const erased = await payments.erase('disbursement', 'salary-1');
  // @ts-expect-error a payout never expires
  return erased.outcome === 'expired' ? 'never' : payout.outcome.trim();
}

export const options: Partial<PaymentsModuleOptions>[] = [
  { probe: false },
  { probe: { collections: false, disbursements: { afterAnswerMs: 40_000, afterSilenceMs: 40_000 } } },
  {
    recoveryWindowMs: 900_000,
    staleAfterMs: 3_600_000,
    statusPaths: { collection: '/payments/{reference}' },
  },
];
