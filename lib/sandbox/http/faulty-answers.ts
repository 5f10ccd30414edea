import { type HoldingClock } from '../clock/sandbox-clock.js';
import { type Fault, type InsteadFault, type StatusFaultOptions } from '../core/fault.js';
import { type GatewayAnswer } from '../core/gateway-answer.js';
import { HTML_TYPE, JSON_TYPE } from './answer.js';
import { type RequestRecord } from './request-record.js';

const FAULT_MESSAGE = 'The sandbox answers with a fault.';

/** Sends the fault's answer instead of the gateway's. */
export function answerInstead(record: RequestRecord, fault: InsteadFault): void {
  switch (fault.kind) {
    case 'dropBefore':
      record.drop();
      return;
    case 'html':
      record.send(fault.status, HTML_TYPE, `<!doctype html><title>Error</title><p>${FAULT_MESSAGE}</p>\n`);
      return;
    case 'status':
      record.answer({ status: fault.status, body: statusBody(fault.options) }, retryHeader(fault.options));
  }
}

/**
 * Applies a fault after the request was processed. Resolves when its answer has begun, if it has one; rejects if the
 * answer cannot be sent.
 */
export async function failAfterwards(
  record: RequestRecord,
  fault: Fault,
  answer: GatewayAnswer,
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
    case 'malformedJson': {
      const text = JSON.stringify(answer.body);
      record.send(answer.status, JSON_TYPE, text.slice(0, text.length / 2));
      return;
    }
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

/** An error goes to the caller of the gateway: thrown in a timer, it would end the process or stop the clock. */
function answerWhenDue(
  record: RequestRecord,
  answer: GatewayAnswer,
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
