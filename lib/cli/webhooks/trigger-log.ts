import { printable } from '../../common/printable.js';
import { likelyCause } from '../answer-advice.js';
import { type RequestRecord, isAnswered } from '../http-exchange.js';
import { type Paint } from '../terminal.js';
import { type SignatureKind } from './event-headers.js';

const LONGEST_ANSWER = 500;

/** One delivery with its answer. */
export interface Delivered {
  readonly event: string;
  readonly reference: string;
  readonly url: URL;
  readonly kind: SignatureKind;
  readonly answer: RequestRecord;
}

/** Whether the route accepted a good delivery, or refused a bad one. */
export function isAsExpected({ kind, answer }: Pick<Delivered, 'kind' | 'answer'>): boolean {
  return isAnswered(answer) && answer.status === (kind === 'good' ? 200 : 401);
}

/** The lines for a person: event, address and result. */
export function triggerLines(delivered: Delivered, paint: Paint): readonly string[] {
  const { event, reference, url, kind, answer } = delivered;
  const how = kind === 'good' ? '' : ` (${kind})`;
  const look = isAsExpected(delivered) ? 'green' : 'red';
  return [
    `${paint('cyan', '-->')} ${paint('bold', printable(event))} ${printable(reference)} to ${url.href}${how}`,
    `${paint('cyan', '<--')} ${paint(look, outcome(delivered))}`,
    ...(isAnswered(answer) && answer.status !== 200 ? bodyLines(answer.text) : []),
  ];
}

/** The same as a JSON value. */
export function triggerData({ event, reference, url, kind, answer }: Delivered) {
  return {
    event,
    reference,
    url: url.href,
    signature: kind,
    status: isAnswered(answer) ? answer.status : null,
    problem: isAnswered(answer) ? null : answer.problem,
    duration_ms: answer.durationMs,
    answer: isAnswered(answer) ? answer.text : null,
  };
}

function outcome({ kind, answer }: Delivered): string {
  if (!isAnswered(answer)) return `no answer: ${answer.problem}`;
  const { status, durationMs } = answer;
  return `${status} in ${durationMs} ms${remark(kind, status)}`;
}

function remark(kind: SignatureKind, status: number): string {
  if (kind !== 'good' && status === 401) return ': refused, as it must be';
  if (kind !== 'good' && status < 300) return ': taken, although it must be refused with 401!';
  const cause = likelyCause(status);
  return cause === undefined ? '' : `: ${cause}`;
}

function bodyLines(text: string): readonly string[] {
  const start = printable(text.trim()).slice(0, LONGEST_ANSWER);
  return start === '' ? [] : [`    ${start}`];
}
