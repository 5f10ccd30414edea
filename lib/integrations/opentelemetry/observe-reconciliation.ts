import { type MeterProvider, metrics, type ObservableResult } from '@opentelemetry/api';
import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { type Reconciliation } from '../../reconciliation/reconciliation.js';
import { ATTR } from './attributes.js';
import { SCOPE } from './instrument-payments.js';

/**
 * The account of the closes, and the provider of the metric.
 *
 * @publicApi
 */
export interface ObserveReconciliationOptions {
  /** Merchant account: the name in `PaymentsModule.forRoot({ name })`. @default 'default' */
  readonly account?: string | undefined;
  /** Where the metric goes. @default the globally registered one at the call of `observeReconciliation` */
  readonly meterProvider?: MeterProvider | undefined;
}

/**
 * Reports how many exceptions of closes are open, as `payments.reconciliation.exceptions`, a series for each kind that was open
 * once. It reports nothing while the storage does not answer. Every collection of metrics reads all open exceptions.
 *
 * @returns a function that stops it.
 *
 * @example
 * ```ts
 * observeReconciliation(app.get(Reconciliation));
 * ```
 *
 * @publicApi
 */
export function observeReconciliation(
  reconciliation: Pick<Reconciliation, 'status'>,
  {
    account = DEFAULT_ACCOUNT,
    meterProvider = metrics.getMeterProvider(),
  }: ObserveReconciliationOptions = {},
): () => void {
  const gauge = meterProvider.getMeter(SCOPE).createObservableGauge('payments.reconciliation.exceptions', {
    unit: '{exception}',
    description: 'Exceptions of closes that nobody has explained or settled.',
  });
  const known = new Map<string, number>();
  const observe = async (result: ObservableResult): Promise<void> => {
    const { open = {} } = (await reconciliation.status({ account })) ?? {};
    // A series that ended must fall to 0, or its alarm stays on.
    for (const kind of known.keys()) known.set(kind, 0);
    for (const [kind, count] of Object.entries<number>(open)) known.set(kind, count);
    for (const [kind, count] of known) {
      result.observe(count, { [ATTR.account]: account, [ATTR.exceptionKind]: kind });
    }
  };
  const quietly = (result: ObservableResult): Promise<void> => observe(result).catch(() => undefined);
  gauge.addCallback(quietly);
  return () => {
    gauge.removeCallback(quietly);
  };
}
