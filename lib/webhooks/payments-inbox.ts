import { type InboxConflict } from '../storage/conflict-store.js';
import { ageProblem } from '../common/milliseconds.js';
import { type InboxScope, type SetAsideKind } from '../common/vocabulary.js';
import { NamedInTokens } from '../common/tokens.js';
import { isSealed, SEALED_WITHOUT_KEYS } from '../storage/sealed/sealed-value.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import {
  PaymentsConfigError,
  PaymentsError,
  PaymentsStorageError,
  PaymentsValidationError,
} from '../errors/payments-errors.js';
import { unknownFields } from '../errors/option-errors.js';
import { type WebhookHeaders } from './delivery/delivery-head.js';
import {
  hostWebhook,
  type WebhookBody,
  type WebhookRequestLine,
  receiveFromHost,
  type WebhookHttpAnswer,
} from './delivery/host-webhook.js';
import { AFTER_START } from './delivery/webhook-answer.js';
import { type WebhookReceiver } from './delivery/webhook-receiver.js';

/**
 * A page of the events that were set aside.
 *
 * @publicApi
 */
export interface ConflictPage {
  /** The last `id` of the page before, even if its event is gone. @default the first page */
  readonly after?: string | undefined;
  /** How many at most, from 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

/**
 * Ages in milliseconds from which events that were set aside are forgotten, since their first delivery.
 * Contradictions stay until `release` or `discard`.
 *
 * @publicApi
 */
export interface InboxPurgeAges {
  /** Events that the specification does not list. @default they stay */
  readonly unrecognizedOlderThanMs?: number | undefined;
  /** Events for payments that the journal does not know. @default they stay */
  readonly unknownReferencesOlderThanMs?: number | undefined;
}

const LONGEST_PAGE = 1_000;

/**
 * The events that were set aside instead of handled: another outcome, amount or provider reference for a
 * payment that has an outcome (`conflict`), an event that contradicts itself or its payment (`mismatch`), an
 * event with an unknown name (`unrecognized`), and, with `unknownReferences: 'set-aside'`, an event for a
 * payment that the journal does not know (`unknown-reference`).
 *
 * @hideconstructor
 * @publicApi
 */
@NamedInTokens('PaymentsInbox')
export class PaymentsInbox {
  /** @internal */
  constructor(
    private readonly scope: InboxScope,
    private readonly storage: Pick<PaymentsStorage, 'inbox' | 'conflicts'>,
    private readonly retentionMs: number,
    private readonly receiver: WebhookReceiver | undefined,
  ) {}

  /**
   * Receives a delivery without a route of Nest, for example in a Lambda, a queue's consumer or another
   * framework. Verifies it, remembers it and runs the `@OnPayment` handlers, as `@PaymentsWebhook` does.
   *
   * @param rawBody The exact bytes of the body, or its text.
   * @param headers The headers of the delivery, in the form of the host.
   * @param line Method and URL of the request, if the scheme signs them.
   * @returns The answer for the gateway. It is a 503 if the storage is away or the application has not
   * started yet.
   * @throws PaymentsConfigError if the account has no `webhooks` option, or the body was parsed.
   *
   * @example
   * ```ts
   * async function handler(event: { body: string; isBase64Encoded: boolean; headers: Record<string, string> }) {
   *   const rawBody = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
   *   const { status, headers, body } = await inbox.receive(rawBody, event.headers);
   *   return { statusCode: status, headers, body };
   * }
   * ```
   */
  async receive(
    rawBody: WebhookBody,
    headers: WebhookHeaders,
    line: WebhookRequestLine = {},
  ): Promise<WebhookHttpAnswer> {
    const receiver = this.receiverFor('receiving');
    return receiveFromHost(receiver, hostWebhook(rawBody, headers, line));
  }

  /**
   * Lists the events that were set aside, oldest first. The payloads contain names and phone numbers.
   *
   * @throws PaymentsValidationError if `limit` is not a whole number from 1 to 1,000, or `after` is no id.
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
    const page = { limit, ...(after !== undefined && { after }) };
    return (await this.storage.conflicts.list(this.scope, page)).map(withDamage);
  }

  /**
   * One event that was set aside; undefined if there is none, or not any more.
   *
   * @throws PaymentsValidationError if no id is given.
   * @throws PaymentsStorageError
   */
  async conflict(id: string): Promise<InboxConflict | undefined> {
    checkId(id);
    const conflict = await this.storage.conflicts.get(this.scope, id);
    return conflict && withDamage(conflict);
  }

  /**
   * Runs the `@OnPayment` handlers of an event that was set aside. The method of the webhook route does not
   * run, because there is no request.
   *
   * A `conflict` or `mismatch` becomes the outcome of its reference when its handlers begin, even if one
   * fails. To release it again, or its next delivery, runs the handlers that have not finished; only if a
   * transaction has undone them, a `mismatch` may be set aside once more. Every other event is handled as if
   * it came now, and set aside again if it contradicts its payment.
   *
   * Once they have finished, a further delivery of a released outcome gets 200 and runs nothing, until `purge`
   * forgets it. One with white space around its reference is set aside again: it may be another charge.
   *
   * @throws PaymentsError with the code `CONFLICT_NOT_FOUND`, `EVENT_UNRECOGNIZED` if neither this version of
   * the package nor a handler knows its name, `HANDLERS_ELSEWHERE` if only the workers of a queue have
   * handlers for it, `INBOX_BUSY` if handlers of the same reference run, the storage cannot be reached or the
   * application has not started, or `HANDLER_FAILED`. The event then stays.
   * @throws PaymentsStorageError if the event cannot be read: it is sealed with a key that is missing, or damaged. Or if the storage
   * does not answer: its handlers may have run then. Release it again; those that have finished do not run again.
   * @throws PaymentsConfigError if the account has no `webhooks` option.
   */
  async release(id: string): Promise<void> {
    const conflict = isId(id) ? await this.conflict(id) : undefined;
    if (!conflict) throw new PaymentsError('CONFLICT_NOT_FOUND', 'Nothing with this id is set aside.');
    const receiver = this.receiverFor('releasing');
    const { reference, damaged } = conflict;
    if (damaged !== undefined) {
      const message = `The webhook cannot be read and stays set aside, because ${damaged}.`;
      throw new PaymentsStorageError(message, {
        reference,
        hint: 'Bring back its key, or what the storage lost, then release it again; or discard it.',
      });
    }
    if (receiver.isStarting) {
      const message =
        'The application has not started yet, so its handlers are not known, and the webhook stays set aside: release it ' +
        AFTER_START;
      throw new PaymentsError('INBOX_BUSY', message, { reference });
    }
    if (!receiver.recognizes(conflict)) {
      const message =
        "Neither this version of nestjs-payments nor a handler knows the event's name, so the webhook stays set aside: update the " +
        "package, or listen with @OnPayment('unrecognized').";
      throw new PaymentsError('EVENT_UNRECOGNIZED', message, { reference });
    }
    if (receiver.leavesToWorkers(conflict)) {
      const message =
        'Webhooks are handed over to a queue, and this process has no handler for this one, so the webhook stays set aside: ' +
        'release it in a process that has the handlers.';
      throw new PaymentsError('HANDLERS_ELSEWHERE', message, { reference });
    }
    const { status } = await receiver.release(conflict);
    if (status === 500) {
      const message = 'A handler failed, so the webhook stays set aside: the log says which one and why.';
      throw new PaymentsError('HANDLER_FAILED', message, { reference });
    }
    if (status === 503) {
      const message = 'The webhook cannot be handled right now and stays set aside: try again in a minute.';
      throw new PaymentsError('INBOX_BUSY', message, { reference });
    }
    await this.storage.conflicts.remove(this.scope, id);
  }

  /**
   * Forgets an event that was set aside, with the names and phone numbers in it. Its handlers do not run.
   * Does nothing if there is no such event.
   *
   * @throws PaymentsValidationError if no id is given.
   * @throws PaymentsStorageError
   */
  async discard(id: string): Promise<void> {
    checkId(id);
    await this.storage.conflicts.remove(this.scope, id);
  }

  /**
   * Forgets handled outcomes older than `retentionDays`. Events that were set aside stay until `release` or
   * `discard`, unless you give an age for them.
   *
   * A repeated delivery of a forgotten outcome runs no handler while the journal knows how its payment ended.
   *
   * @returns How many were forgotten.
   * @throws PaymentsValidationError if an age is not a whole number of milliseconds from 1 to 36,500 days.
   * @throws PaymentsStorageError
   *
   * @example
   * ```ts
   * await inbox.purge({ unrecognizedOlderThanMs: 400 * 86_400_000 });
   * ```
   */
  async purge(ages: InboxPurgeAges = {}): Promise<number> {
    checkAges(ages);
    const { unrecognizedOlderThanMs, unknownReferencesOlderThanMs } = ages;
    let all =
      this.retentionMs === Infinity ? 0 : await this.storage.inbox.purge(this.scope, this.retentionMs);
    all += await this.forget('unrecognized', unrecognizedOlderThanMs);
    all += await this.forget('unknown-reference', unknownReferencesOlderThanMs);
    return all;
  }

  private async forget(kind: SetAsideKind, olderThanMs: number | undefined): Promise<number> {
    return olderThanMs === undefined ? 0 : this.storage.conflicts.purge(this.scope, kind, olderThanMs);
  }

  private receiverFor(doing: 'receiving' | 'releasing'): WebhookReceiver {
    if (this.receiver) return this.receiver;
    throw new PaymentsConfigError(
      `The account '${this.scope.account}' has no \`webhooks\` option: add it before ${doing} a webhook.`,
    );
  }
}

/** A form or a path may lack the id, and not every storage can look for `undefined`. */
function isId(id: unknown): boolean {
  return typeof id === 'string' && id !== '';
}

/** @throws PaymentsValidationError if it is no id, so that nobody takes an event for gone. */
function checkId(id: unknown): void {
  if (isId(id)) return;
  throw new PaymentsValidationError({
    id: ['id must be a text that is not empty: write that of an event of conflicts()'],
  });
}

/** An encryption says why it could not open a payload. Without one, nobody has said it yet. */
export function withDamage(conflict: InboxConflict): InboxConflict {
  const isReadable = conflict.damaged !== undefined || !isSealed(conflict.payload);
  return isReadable ? conflict : { ...conflict, damaged: SEALED_WITHOUT_KEYS };
}

const AGES = ['unrecognizedOlderThanMs', 'unknownReferencesOlderThanMs'] as const;

/** @throws PaymentsValidationError that names every age that is wrong or does not exist. */
export function checkAges(ages: InboxPurgeAges): void {
  const wrong = AGES.flatMap((field): [string, string[]][] => {
    const age = ages[field];
    const problem = age === undefined ? undefined : ageProblem(field, age);
    return problem === undefined ? [] : [[field, [problem]]];
  });
  const problems = { ...Object.fromEntries(wrong), ...unknownFields(ages, AGES) };
  if (Object.keys(problems).length > 0) throw new PaymentsValidationError(problems);
}
