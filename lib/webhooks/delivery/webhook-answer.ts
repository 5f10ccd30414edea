import { type PaymentWebhookEvent } from '../../common/events.js';
import { quoted } from '../../common/quoted.js';

/** The answer to a delivery. It is 200 only after the work is recorded as done. */
export type WebhookAnswer =
  | { readonly status: 200 }
  | { readonly status: 500 }
  | { readonly status: 503; readonly retryAfterSeconds: number };

export const DONE: WebhookAnswer = { status: 200 };
export const FAILED: WebhookAnswer = { status: 500 };

export const ANSWER_MESSAGES = {
  500: 'A handler of this webhook failed.',
  503: 'This webhook cannot be handled right now.',
} as const;

/** When handlers are known. Nest runs no hooks of a module that it loads later, so such a one never learns them. */
export const AFTER_START =
  'after app.init(), app.listen() or NestFactory.createApplicationContext(). Import PaymentsModule in a module that is ' +
  'there at boot: one that LazyModuleLoader loads never starts.';

/** `Retry-After` if the storage cannot be reached. */
export const STORAGE_RETRY_MS = 5_000;

/** Asks the gateway to deliver again, in a second or later. */
export function retryLater(afterMs: number): WebhookAnswer {
  return { status: 503, retryAfterSeconds: Math.max(1, Math.ceil(afterMs / 1_000)) };
}

/** An event for a log line. Quoted: text from outside must not break the line. */
export function describeEvent({
  event,
  data,
}: Pick<PaymentWebhookEvent, 'event'> & {
  readonly data: Pick<PaymentWebhookEvent['data'], 'reference'>;
}): string {
  return `${quoted(event)} for the reference ${quoted(data.reference)}`;
}

/** An error of the application for the log, with its stack. */
export function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : 'a value that is not an Error was thrown';
}
