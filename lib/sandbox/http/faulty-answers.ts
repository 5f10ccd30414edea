import { type TimeSource } from '../clock/sandbox-clock.js';
import { type Fault, type InsteadFault, type StatusFaultOptions } from '../core/fault.js';
import { type GatewayAnswer } from '../core/gateway-answer.js';
import { HTML_TYPE, JSON_TYPE } from './answer.js';
import { type RequestRecord } from './request-record.js';

const TOLD_TO = 'The sandbox was told to answer so.';

/** Answers something else than the gateway would. */
export function answerInstead(exchange: RequestRecord, fault: InsteadFault): void {
  switch (fault.kind) {
    case 'dropBefore':
      exchange.drop();
      return;
    case 'html':
      exchange.send(fault.status, HTML_TYPE, `<!doctype html><title>Error</title><p>${TOLD_TO}</p>\n`);
      return;
    case 'status':
      exchange.answer({ status: fault.status, body: statusBody(fault.options) }, retryHeader(fault.options));
  }
}

/** Carries out a fault after the request was processed. */
export function failAfterwards(
  exchange: RequestRecord,
  fault: Fault,
  answer: GatewayAnswer,
  clock: TimeSource,
): void {
  switch (fault.kind) {
    case 'dropBefore':
    case 'html':
    case 'status':
      answerInstead(exchange, fault);
      return;
    case 'dropAfterProcessing':
      exchange.drop();
      return;
    case 'reset':
      exchange.reset();
      return;
    case 'partialBody':
      exchange.sendHalf(answer);
      return;
    case 'malformedJson': {
      const text = JSON.stringify(answer.body);
      exchange.send(answer.status, JSON_TYPE, text.slice(0, text.length / 2));
      return;
    }
    case 'hang':
      exchange.hang();
      return;
    case 'delay':
      clock.schedule(fault.delayMs, () => {
        exchange.answer(answer);
      });
      return;
    case 'drip':
      exchange.drip(answer, (next) => {
        clock.schedule(fault.everyMs, next);
      });
  }
}

function statusBody({ code }: StatusFaultOptions): Record<string, unknown> {
  return code === undefined ? { message: TOLD_TO } : { success: false, code, message: TOLD_TO };
}

function retryHeader({ retryAfter }: StatusFaultOptions): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}
