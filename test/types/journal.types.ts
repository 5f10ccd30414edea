// What is known of payments whose outcome is open.
import {
  type JournalEntry,
  type JournalState,
  type MoneyOperation,
  type OutcomeEvidence,
  type PaymentFamily,
  type PaymentOutcome,
  type PaymentsJournal,
  type PaymentsModuleOptions,
  type RecoveryReport,
} from 'nestjs-payments';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<JournalState, 'planned' | 'in-flight' | 'accepted' | 'rejected' | 'unknown' | 'settled'>>,
  Expect<Equal<PaymentOutcome, 'success' | 'paid' | 'failed' | 'cancelled' | 'expired'>>,
  Expect<Equal<JournalEntry['operation'], MoneyOperation>>,
  Expect<Equal<JournalEntry['evidence'], OutcomeEvidence | undefined>>,
  Expect<Equal<JournalEntry['outcome'], PaymentOutcome | undefined>>,
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
  const waited: JournalEntry = await payments.waitForOutcome(family, 'order-1', { timeoutMs: 1_000, signal });
  // @ts-expect-error a wait needs an end
  await payments.waitForOutcome(family, 'order-1');
  // @ts-expect-error no final status of the specification
  await payments.settle(family, 'order-1', 'pending');
  return [...seen, entry, probed, settled, stillUnknown, ended, waited];
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
