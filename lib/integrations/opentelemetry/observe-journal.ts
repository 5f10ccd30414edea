import { type MeterProvider, metrics, type ObservableResult } from '@opentelemetry/api';
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
  /** @default the globally registered one at the call of `observeJournal` */
  readonly meterProvider?: MeterProvider | undefined;
}

/**
 * Reports the age of the oldest unresolved payment of an account, in seconds, as
 * `payments.journal.oldest_unresolved.age`. It reports 0 if none is open, and nothing while the storage does
 * not answer. Every collection of metrics makes a few small reads of the storage.
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
  const gauge = meterProvider
    .getMeter(SCOPE)
    .createObservableGauge('payments.journal.oldest_unresolved.age', {
      unit: 's',
      description: 'Age of the oldest payment whose outcome is open.',
    });
  const observe = async (result: ObservableResult): Promise<void> => {
    const age = await ageOf(journal);
    if (age !== undefined) result.observe(age, { [ATTR.account]: account });
  };
  gauge.addCallback(observe);
  return () => {
    gauge.removeCallback(observe);
  };
}

/** Returns undefined if the storage does not answer: other parts report that error. */
async function ageOf(journal: PaymentsJournal): Promise<number | undefined> {
  try {
    const oldest = await journal.oldestUnresolved();
    return (oldest?.ageMs ?? 0) / 1_000;
  } catch {
    return undefined;
  }
}
