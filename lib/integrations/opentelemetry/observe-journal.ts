import { type MeterProvider, metrics, type ObservableResult } from '@opentelemetry/api';
import { type PaymentsAccounts } from '../../accounts/payments-accounts.js';
import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { type PaymentsJournal } from '../../journal/payments-journal.js';
import { ATTR } from './attributes.js';
import { SCOPE } from './instrument-payments.js';

/**
 * The account of the journal, and the provider of the metric.
 *
 * @publicApi
 */
export interface ObserveJournalOptions {
  /** Merchant account: the name in `PaymentsModule.forRoot({ name })`. @default 'default' */
  readonly account?: string | undefined;
  /** Where the metric goes. @default the globally registered one at the call of `observeJournal` */
  readonly meterProvider?: MeterProvider | undefined;
}

/**
 * Reports the age of the oldest unresolved payment of an account, in seconds, as
 * `payments.journal.oldest_unresolved.age`. It reports 0 if none is open, and nothing while the storage does
 * not answer. Every collection of metrics makes the reads of `PaymentsJournal.oldestUnresolved()`.
 *
 * @returns a function that stops it.
 *
 * @example
 * ```ts
 * observeJournal(app.get(PaymentsJournal));
 * observeJournal(app.get(getPaymentsToken(PaymentsJournal, 'payouts')), { account: 'payouts' });
 * ```
 *
 * @publicApi
 */
export function observeJournal(
  journal: PaymentsJournal,
  { account = DEFAULT_ACCOUNT, meterProvider = metrics.getMeterProvider() }: ObserveJournalOptions = {},
): () => void {
  return observeAge(meterProvider, async (result) => {
    result.observe(secondsOf(await journal.oldestUnresolved()), { [ATTR.account]: account });
  });
}

/**
 * The label and the provider of the metric over all accounts.
 *
 * @publicApi
 */
export interface ObserveAllJournalsOptions {
  /**
   * Whether each account is a series of its own, with the label `payments.account`. Thousands of accounts are thousands of
   * series.
   * @default false
   */
  readonly accountLabel?: boolean | undefined;
  /** Where the metric goes. @default the globally registered one at the call of `observeAllJournals` */
  readonly meterProvider?: MeterProvider | undefined;
}

/**
 * Reports the age of the oldest unresolved payment over all accounts that the storage knows, as `observeJournal` does for
 * one. Every collection of metrics makes these reads for each account, but asks no resolver.
 *
 * @returns a function that stops it.
 *
 * @example
 * ```ts
 * observeAllJournals(app.get(PaymentsAccounts));
 * ```
 *
 * @publicApi
 */
export function observeAllJournals(
  { all }: Pick<PaymentsAccounts, 'all'>,
  { accountLabel = false, meterProvider = metrics.getMeterProvider() }: ObserveAllJournalsOptions = {},
): () => void {
  return observeAge(meterProvider, async (result) => {
    if (!accountLabel) {
      result.observe(secondsOf(await all.journal.oldestUnresolved()));
      return;
    }
    const ages = new Map<string, number>();
    for (const { account, oldest } of await all.journal.oldestOfEach()) {
      ages.set(account, Math.max(secondsOf(oldest), ages.get(account) ?? 0));
    }
    for (const [account, age] of ages) result.observe(age, { [ATTR.account]: account });
  });
}

function observeAge(
  meterProvider: MeterProvider,
  observe: (result: ObservableResult) => Promise<void>,
): () => void {
  const gauge = meterProvider
    .getMeter(SCOPE)
    .createObservableGauge('payments.journal.oldest_unresolved.age', {
      unit: 's',
      description: 'Age of the oldest payment whose outcome is open.',
    });
  // Reports nothing if the storage does not answer: other parts report that error.
  const quietly = (result: ObservableResult): Promise<void> => observe(result).catch(() => undefined);
  gauge.addCallback(quietly);
  return () => {
    gauge.removeCallback(quietly);
  };
}

function secondsOf(oldest: { readonly ageMs: number } | undefined): number {
  return (oldest?.ageMs ?? 0) / 1_000;
}
