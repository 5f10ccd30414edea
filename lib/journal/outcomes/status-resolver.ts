import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { unreadable } from '../../storage/sealed/sealed-journal.js';
import { type PaymentFamily } from '../../common/vocabulary.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { isPaymentsError, PaymentsRateLimitError } from '../../errors/payments-errors.js';
import { type CallOptions } from '../../gateway/call-options.js';
import { type GatewayClient } from '../../gateway/gateway-client.js';
import { changeRecord } from '../payment/change-record.js';
import { type OutcomeNotifier } from './outcome-recorder.js';
import { afterStatus, statusCall } from './status-query.js';

/** Time limit of a status query: a path that hangs must delay nothing else. */
export const ASK_WITHIN_MS = 5_000;

/** Asks the gateway for the status of payments, if the `statusPaths` option names a path. */
export class StatusResolver {
  constructor(
    private readonly paths: ResolvedPaymentsOptions['statusPaths'],
    private readonly gateway: Pick<GatewayClient, 'read'>,
    private readonly store: JournalStore,
    private readonly notifier: OutcomeNotifier,
  ) {}

  canAsk(family: PaymentFamily): boolean {
    return this.paths[family] !== undefined;
  }

  /**
   * Asks once and writes down what the answer proves. An error, even "not found", proves nothing. Nobody asks about
   * a planned payment, which is still to be sent, nor about one that the path cannot name.
   *
   * @param onRateLimit Called if the gateway limits the queries (429), and did not answer this one.
   * @returns The record afterwards.
   */
  async ask(
    existing: StoredJournalRecord,
    options: CallOptions = {},
    onRateLimit?: () => void,
  ): Promise<StoredJournalRecord> {
    const { record } = existing;
    const path = this.paths[record.family];
    const isAskable = record.state !== 'planned' && unreadable(existing) === undefined;
    if (path === undefined || !isAskable) return existing;
    const call = statusCall(path, record);
    if (!call) return existing;
    const answer = await this.gateway.read(call, options).catch((error: unknown) => {
      if (!isPaymentsError(error)) throw error;
      if (error instanceof PaymentsRateLimitError) onRateLimit?.();
      return undefined;
    });
    if (!answer) return existing;
    const write = ({ record: current }: StoredJournalRecord): JournalRecord | undefined =>
      afterStatus(current, answer, record.intent);
    const known = await changeRecord(this.store, record, write, 'stays');
    this.notifier.changed(record);
    return known ?? existing;
  }
}
