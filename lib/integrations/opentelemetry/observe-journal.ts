import { type MeterProvider, metrics, type ObservableResult } from '@opentelemetry/api';
import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { type PaymentsJournal } from '../../journal/payments-journal.js';
import { ATTR } from './attributes.js';
import { SCOPE } from './instrument-payments.js';

/**
 * Whose journal it is, and where its age goes.
 *
 * @publicApi
 */
export interface ObserveJournalOptions {
  /** Merchant account, as `PaymentsModule.forRoot({ name })` names it. @default 'default' */
  readonly account?: string | undefined;
  /** @default the one that is registered globally when `observeJournal` is called */
  readonly meterProvider?: MeterProvider | undefined;
}

/**
 * Reports the age of the oldest unresolved payment of an account, in seconds, as
 * `payments.journal.oldest_unresolved.age`; 0 where none is open, nothing while the storage does not answer.
 * It is read whenever metrics are collected, which costs a few small reads of the storage.
 *
 * @returns a function that ends it.
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

/** A storage that does not answer is reported elsewhere, and its error belongs to nobody's metrics. */
async function ageOf(journal: PaymentsJournal): Promise<number | undefined> {
  try {
    const oldest = await journal.oldestUnresolved();
    return (oldest?.ageMs ?? 0) / 1_000;
  } catch {
    return undefined;
  }
}
