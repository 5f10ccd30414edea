import { type PaymentWebhookEvent } from '../../common/events.js';
import { quoted } from '../../common/quoted.js';
import { failureLabel } from '../../errors/payments-errors.js';

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

/** How far causes are followed, how many are logged, and how many lines say where one was thrown. */
const DEEPEST_CAUSE = 4;
const MOST_CAUSES = 8;
const MOST_PLACES = 4;
/** A line of a stack. Other lines are words of the error. */
const PLACE = /^ {4}at \S.*:\d+:\d+\)?$/;

/** An error of the application for the log, with its stack and its causes. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is not an Error was thrown';
  return [error.stack ?? error.message, ...causesOf(error, 1)].join('\n');
}

/**
 * Of a cause the log has the class, the code and the places, and not its words: those of a driver may repeat what is stored, and
 * the handler did not write them.
 */
function causesOf(error: Error, depth: number): readonly string[] {
  if (depth > DEEPEST_CAUSE) return [];
  const several: unknown = error instanceof AggregateError ? error.errors : [];
  const errors: readonly unknown[] = Array.isArray(several) ? several.slice(0, MOST_CAUSES) : [];
  return [
    ...linesOf('cause', error.cause, depth),
    ...errors.flatMap((one) => linesOf('error', one, depth)),
  ].slice(0, MOST_CAUSES);
}

function linesOf(what: string, error: unknown, depth: number): readonly string[] {
  if (!(error instanceof Error)) return [];
  const text = [`[${what}]: ${failureLabel(error)}`, ...placesOf(error)].join('\n');
  return [text, ...causesOf(error, depth + 1)];
}

function placesOf({ stack }: Error): readonly string[] {
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  return lines.filter((line) => PLACE.test(line)).slice(0, MOST_PLACES);
}
