import { type HoldingClock } from '../clock/sandbox-clock.js';
import {
  type AnsweringFault,
  type Fault,
  type InsteadFault,
  type StatusFaultOptions,
} from '../core/fault.js';
import { HTML_TYPE, JSON_TYPE, type WireAnswer } from './answer.js';
import { type RequestRecord } from './request-record.js';

const FAULT_MESSAGE = 'The sandbox answers with a fault.';

/** Sends the fault's answer instead of the gateway's. */
export function answerInstead(record: RequestRecord, fault: InsteadFault): void {
  if (fault.kind === 'dropBefore') record.drop();
  else record.answer(answerOf(fault));
}

/** What a fault answers in place of the gateway. */
export function answerOf({ kind, status, options }: AnsweringFault): WireAnswer {
  if (kind === 'status') return { status, body: statusBody(options), headers: retryHeader(options) };
  const body = `<!doctype html><title>Error</title><p>${FAULT_MESSAGE}</p>\n`;
  return { status, body, contentType: HTML_TYPE };
}

/**
 * Applies a fault after the request was processed. Resolves when its answer has begun, if it has one; rejects if the
 * answer cannot be sent.
 */
export async function failAfterwards(
  record: RequestRecord,
  fault: Fault,
  answer: WireAnswer,
  clock: HoldingClock,
): Promise<void> {
  switch (fault.kind) {
    case 'dropAfterProcessing':
      record.drop();
      return;
    case 'reset':
      record.reset();
      return;
    case 'partialBody':
      record.sendHalf(answer);
      return;
    case 'malformedJson':
      record.answer(halfOf(answer));
      return;
    case 'hang':
      record.hang();
      return;
    case 'delay':
      await answerWhenDue(record, answer, fault.delayMs, clock);
      return;
    case 'drip':
      record.drip(answer, (next) => {
        clock.hold(fault.everyMs, next, () => record.isAwaited);
      });
      return;
    default:
      answerInstead(record, fault);
  }
}

/** A half that says that it is the whole. */
function halfOf({ body, ...answer }: WireAnswer): WireAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { contentType: JSON_TYPE, ...answer, body: text.slice(0, text.length / 2) };
}

/** An error goes to the caller of the gateway: thrown in a timer, it would end the process or stop the clock. */
function answerWhenDue(
  record: RequestRecord,
  answer: WireAnswer,
  delayMs: number,
  clock: HoldingClock,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = (): void => {
      try {
        record.answer(answer);
        resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    clock.hold(
      delayMs,
      send,
      () => record.isAwaited,
      () => record.dueAnswer(),
    );
  });
}

function statusBody({ code }: StatusFaultOptions): Record<string, unknown> {
  return code === undefined ? { message: FAULT_MESSAGE } : { success: false, code, message: FAULT_MESSAGE };
}

function retryHeader({ retryAfter }: StatusFaultOptions): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}
