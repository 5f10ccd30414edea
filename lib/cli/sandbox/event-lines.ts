import { printable } from '../../common/printable.js';
import { type SandboxDelivery, type SandboxDeliveryAttempt } from '../../sandbox/control/records.js';
import { type SandboxRequest } from '../../sandbox/core/request-journal.js';
import { type UnsentReason } from '../../sandbox/webhooks/endpoint-registry.js';
import { withoutPersons } from './without-persons.js';
import { likelyCause } from '../answer-advice.js';
import { type Paint } from '../terminal.js';

const UNSENT: Readonly<Record<UnsentReason, string>> = {
  'no address': 'not delivered: there is no address. Start with --forward-to <url>',
  'turned off': 'not delivered: its address was turned off or removed. Turn it on at the page',
  'not chosen': 'not delivered: its address takes other events. Choose them at the page',
};

/** One gateway call with its answer and why it was refused, without names, numbers and keys. */
export function requestLines(request: SandboxRequest, paint: Paint): string[] {
  const { method, path, reference, status, code, reason, duration_ms: duration, fault, at } = request;
  const call = `${method} ${path.replace('/api/v1', '')}`;
  const answer = status === null ? 'no answer' : [status, code].filter((part) => part !== null).join(' ');
  const fine = status !== null && status < 400 && reason === null;
  const took = duration === null ? undefined : `in ${duration} ms${reason === null ? '' : `: ${reason}`}`;
  return [
    arrow(at, '-->', paint, paint('bold', printable(call)), reference),
    arrow(
      at,
      '<--',
      paint,
      paint(fine ? 'green' : 'red', answer),
      reference,
      took,
      fault && `(fault: ${fault})`,
    ),
  ];
}

/**
 * The last try of a webhook delivery: event, address and result.
 *
 * @param why Why it was not sent, if it was not.
 */
export function deliveryLines(delivery: SandboxDelivery, paint: Paint, why: UnsentReason): string[] {
  const { event, reference, url, attempts, next_attempt_at: next } = delivery;
  const last = attempts.at(-1);
  const at = last?.at ?? new Date().toISOString();
  const address = last?.url ?? url;
  const sent = arrow(at, '-->', paint, paint('bold', event), reference, address && `to ${address}`);
  if (!last) return [sent, arrow(at, '<--', paint, unsent(next, paint, why))];
  if (last.forged) return [sent, arrow(at, '<--', paint, forged(last, paint))];
  if (last.problem === null)
    return [sent, arrow(at, '<--', paint, paint('green', String(last.status)), `in ${last.duration_ms} ms`)];
  const cause = last.status === null ? undefined : likelyCause(last.status);
  const reason = cause === undefined ? last.problem : `${last.problem} (${cause})`;
  return [
    sent,
    arrow(at, '<--', paint, paint('red', `try ${last.number} failed: ${reason}.`), later(delivery)),
  ];
}

function unsent(next: string | null, paint: Paint, why: UnsentReason): string {
  return next === null ? paint('red', UNSENT[why]) : `waits: the first try is at ${timeOf(next)}`;
}

/** A forged try, which the application has to refuse. */
function forged({ number, status, problem }: SandboxDeliveryAttempt, paint: Paint): string {
  const refused = status !== null && status >= 300;
  return paint(refused ? 'green' : 'red', `try ${number}, forged: ${problem ?? ''}`);
}

function later({ state, next_attempt_at: next }: SandboxDelivery): string {
  if (next !== null) return `Next try at ${timeOf(next)}.`;
  return state === 'delivered' ? 'Another copy was delivered.' : 'No more tries.';
}

/** The same as a JSON value with the answer, without personal data; `--json` writes one value a line. */
export function requestData({
  headers: _headers,
  body: _body,
  response_body: body,
  ...request
}: SandboxRequest) {
  return { type: 'request', ...request, response_body: body === null ? null : withoutPersons(body) };
}

/** The same as a JSON value; `--json` writes one value a line. */
export function deliveryData({ body: _body, attempts, ...delivery }: SandboxDelivery) {
  const last = attempts.at(-1);
  const url = last?.url ?? delivery.url;
  return { type: 'delivery', ...delivery, url, attempt: attempts.length, problem: last?.problem ?? null };
}

function arrow(
  at: string,
  sign: string,
  paint: Paint,
  ...parts: readonly (string | null | undefined)[]
): string {
  const [first, ...rest] = parts.filter((part) => typeof part === 'string' && part !== '');
  return [
    paint('dim', timeOf(at)),
    paint('cyan', sign),
    first,
    ...rest.map((part) => printable(String(part))),
  ].join(' ');
}

function timeOf(iso: string): string {
  return new Date(iso).toTimeString().slice(0, 8);
}
