import { performance } from 'node:perf_hooks';
import { hasSubscribers, publishInContext, publishDiagnostics } from '../../common/diagnostics.js';
import { PAYMENT_EVENT_NAMES, type PaymentWebhookEvent } from '../../common/events.js';
import { type ClaimResult } from '../../storage/inbox-store.js';
import { type InboxKind } from '../../common/vocabulary.js';
import {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_START_CHANNEL,
  type WebhookEndEvent,
  type WebhookStartEvent,
  type WebhookSubject,
} from '../../common/webhook-diagnostics.js';
import { type VerifiedWebhook } from '../signature/read-event.js';
import { type WebhookAnswer } from './webhook-answer.js';

/** A delivery and its trace, which is undefined if nobody listens when the work begins. */
export interface TracedWebhook extends VerifiedWebhook {
  readonly trace: WebhookTrace | undefined;
}

let lastDeliveryId = 0;

/** Reports the work on one delivery to the diagnostics channels. */
export class WebhookTrace {
  private madeSubject: WebhookSubject | undefined;
  private kind: InboxKind | undefined;
  /** The meaning of a 200. */
  private success: 'handled' | 'repeated' | 'queued' | 'ignored' = 'handled';

  constructor(
    private readonly account: string,
    private readonly event: PaymentWebhookEvent,
    private readonly source: WebhookStartEvent['source'],
  ) {}

  /** Reports the start and the end of the work. */
  async around(work: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> {
    if (!hasSubscribers(WEBHOOK_START_CHANNEL, WEBHOOK_END_CHANNEL)) return work();
    const startedAt = performance.now();
    const start = (): Omit<WebhookStartEvent, 'runInContext'> => ({ ...this.subject, source: this.source });
    const answer = await publishInContext(WEBHOOK_START_CHANNEL, start, work);
    publishDiagnostics(WEBHOOK_END_CHANNEL, () => ({
      ...this.subject,
      source: this.source,
      ...(this.kind !== undefined && { kind: this.kind }),
      result: this.resultOf(answer),
      status: answer.status,
      durationMs: Math.round(performance.now() - startedAt),
    }));
    return answer;
  }

  /** The delivery was claimed, or could not be. */
  claimed(kind: InboxKind, result: ClaimResult['result']): void {
    this.note(result === 'done' || result === 'missing' ? 'repeated' : 'handled', kind);
  }

  /** Notes what a 200 means from now on, and the kind of the delivery; without one, none is reported. */
  note(success: WebhookTrace['success'], kind?: InboxKind): void {
    this.success = success;
    this.kind = kind;
  }

  /** Runs one step of the work, and reports its start and end. */
  async step<T>(handler: string, attempt: number, run: () => Promise<T>): Promise<T> {
    if (!hasSubscribers(WEBHOOK_HANDLER_START_CHANNEL, WEBHOOK_HANDLER_END_CHANNEL)) return run();
    const startedAt = performance.now();
    const step = { ...this.subject, handler, attempt };
    const end = (failure?: { readonly error: unknown }): void => {
      publishDiagnostics(WEBHOOK_HANDLER_END_CHANNEL, () => ({
        ...step,
        outcome: failure ? 'failed' : 'success',
        ...(failure?.error instanceof Error && { error: failure.error.constructor.name }),
        durationMs: Math.round(performance.now() - startedAt),
      }));
    };
    try {
      const result = await publishInContext(WEBHOOK_HANDLER_START_CHANNEL, () => step, run);
      end();
      return result;
    } catch (error) {
      end({ error });
      throw error;
    }
  }

  private get subject(): WebhookSubject {
    return (this.madeSubject ??= subjectOf(this.account, this.event));
  }

  private resultOf({ status }: WebhookAnswer): WebhookEndEvent['result'] {
    if (status === 200) return this.success;
    return status === 500 ? 'failed' : 'later';
  }
}

function subjectOf(account: string, { event, data }: PaymentWebhookEvent): WebhookSubject {
  const known = PAYMENT_EVENT_NAMES.find((name) => name === event);
  lastDeliveryId += 1;
  return { deliveryId: lastDeliveryId, account, event: known ?? 'unrecognized', reference: data.reference };
}
