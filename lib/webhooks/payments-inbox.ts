import { type InboxConflict, type InboxScope, type InboxStore } from '../common/storage-port.js';
import { PaymentsConfigError } from '../errors/payments-config.error.js';
import { PaymentsValidationError } from '../errors/payments-validation.error.js';
import { PaymentsError } from '../errors/payments.error.js';
import { type WebhookReceiver } from './delivery/webhook.receiver.js';

/**
 * Which part of what was set aside.
 *
 * @publicApi
 */
export interface ConflictPage {
  /** The last `id` of the page before; it need not be there any more. @default the first page */
  readonly after?: string | undefined;
  /** How many at most, from 1 to 1,000. @default 100 */
  readonly limit?: number;
}

const LONGEST_PAGE = 1_000;

/**
 * What was set aside instead of handled: another outcome or another amount for a payment that has one already
 * (`conflict`), or an event that contradicts itself (`mismatch`).
 *
 * @hideconstructor
 * @publicApi
 */
export class PaymentsInbox {
  constructor(
    private readonly scope: InboxScope,
    private readonly store: InboxStore,
    private readonly retentionMs: number,
    private readonly receiver: WebhookReceiver | undefined,
  ) {}

  /**
   * What waits for somebody to look at it, oldest first, a page at a time. The payloads hold names and phone numbers.
   *
   * @throws PaymentsValidationError where `limit` is not a whole number from 1 to 1,000, or `after` is no id.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * let after: string | undefined;
   * for (;;) {
   *   const page = await inbox.conflicts({ after });
   *   if (page.length === 0) break;
   *   for (const { id, kind, reference } of page) console.log(id, kind, reference);
   *   after = page.at(-1)?.id;
   * }
   * ```
   */
  async conflicts({ after, limit = 100 }: ConflictPage = {}): Promise<readonly InboxConflict[]> {
    if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE) {
      const problem = `limit must be a whole number from 1 to ${LONGEST_PAGE}: write 100, the default`;
      throw new PaymentsValidationError({ limit: [problem] });
    }
    return this.store.conflicts(this.scope, { limit, ...(after !== undefined && { after }) });
  }

  /**
   * One event that was set aside; undefined where there is none, or not any more.
   *
   * @throws PaymentsStorageError
   */
  conflict(id: string): Promise<InboxConflict | undefined> {
    return this.store.getConflict(this.scope, id);
  }

  /**
   * Runs the `@OnPayment` handlers of an event that was set aside after all. Once they begin it is the outcome that stands
   * for its reference, also where one fails: releasing it again, or the gateway's next delivery of it, runs what has not
   * finished. The method of the webhook route does not run: there is no request.
   *
   * @throws PaymentsError with the code `CONFLICT_NOT_FOUND`, `INBOX_BUSY` while handlers of the same reference run or
   * the storage cannot be reached, or `HANDLER_FAILED`. The entry then stays.
   */
  async release(id: string): Promise<void> {
    const conflict = await this.conflict(id);
    if (!conflict) throw new PaymentsError('CONFLICT_NOT_FOUND', 'Nothing with this id is set aside.');
    if (!this.receiver) {
      throw new PaymentsConfigError(
        `The account '${this.scope.account}' has no \`webhooks\` option: add it before releasing a webhook.`,
      );
    }
    const { reference } = conflict;
    const { status } = await this.receiver.release(conflict);
    if (status === 500) {
      const message = 'A handler failed, so the webhook stays set aside: the log says which one and why.';
      throw new PaymentsError('HANDLER_FAILED', message, { reference });
    }
    if (status === 503) {
      const message = 'The webhook cannot be handled right now and stays set aside: try again in a minute.';
      throw new PaymentsError('INBOX_BUSY', message, { reference });
    }
    await this.store.removeConflict(this.scope, id);
  }

  /**
   * Forgets an event that was set aside and looked at, with the names and phone numbers in it; its handlers do not run. Nothing
   * happens where there is no such event.
   *
   * @throws PaymentsStorageError
   */
  discard(id: string): Promise<void> {
    return this.store.removeConflict(this.scope, id);
  }

  /**
   * Forgets handled outcomes older than `retentionDays`. What was set aside stays until `release` or `discard`.
   *
   * @returns How many were forgotten.
   * @throws PaymentsStorageError
   */
  purge(): Promise<number> {
    return this.store.purge(this.scope, this.retentionMs);
  }
}
