import { performance } from 'node:perf_hooks';
import { hasSubscribers, publishAround, publishDiagnostics } from '../../common/diagnostics.js';
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

/** A delivery that is worked on, and who tells how that goes; nobody where nobody listens when it begins. */
export interface TracedWebhook extends VerifiedWebhook {
  readonly trace: WebhookTrace | undefined;
}

let lastDeliveryId = 0;

/** Tells the diagnostics channels how the work on one delivery goes. */
export class WebhookTrace {
  private toldAs: WebhookSubject | undefined;
  private kind: InboxKind | undefined;
  /** What a 200 means. */
  private success: 'handled' | 'repeated' | 'queued' | 'ignored' = 'handled';

  constructor(
    private readonly account: string,
    private readonly event: PaymentWebhookEvent,
    private readonly source: WebhookStartEvent['source'],
  ) {}

  /** Works on the delivery between its start and its end. */
  async around(work: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> {
    if (!hasSubscribers(WEBHOOK_START_CHANNEL, WEBHOOK_END_CHANNEL)) return work();
    const startedAt = performance.now();
    const start = (): Omit<WebhookStartEvent, 'surround'> => ({ ...this.subject, source: this.source });
    const answer = await publishAround(WEBHOOK_START_CHANNEL, start, work);
    publishDiagnostics(WEBHOOK_END_CHANNEL, () => ({
      ...this.subject,
      ...(this.kind !== undefined && { kind: this.kind }),
      result: this.resultOf(answer),
      status: answer.status,
      durationMs: Math.round(performance.now() - startedAt),
    }));
    return answer;
  }

  /** The inbox was asked for it. */
  claimed(kind: InboxKind, result: ClaimResult['result']): void {
    this.kind = kind;
    this.success = result === 'done' || result === 'missing' ? 'repeated' : 'handled';
  }

  /** It was stored instead of handled. */
  setAside(kind: InboxKind): void {
    this.kind = kind;
    this.success = 'handled';
  }

  /** It is of no concern to this application. */
  ignored(kind: InboxKind): void {
    this.kind = kind;
    this.success = 'ignored';
  }

  /** It was handed over to a queue. */
  queued(): void {
    this.success = 'queued';
  }

  /** Takes one step of the work. */
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
      const result = await publishAround(WEBHOOK_HANDLER_START_CHANNEL, () => step, run);
      end();
      return result;
    } catch (error) {
      end({ error });
      throw error;
    }
  }

  private get subject(): WebhookSubject {
    return (this.toldAs ??= subjectOf(this.account, this.event));
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
