import {
  isPaymentsError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsValidationError,
  ReferenceReusedError,
} from 'nestjs-payments';
import { type LineResult, unknownBecause } from './line-state.js';

/** The result of a line after an error, and whether to stop the run. */
export interface Judgement {
  readonly result: LineResult;
  /** The reason to stop, for people; absent if the next line may be sent. */
  readonly stop?: string;
}

/** If the money may have moved, the line is unknown. Only a definite refusal is a refusal. */
export function judgeError(error: unknown): Judgement {
  if (!isPaymentsError(error)) {
    const result: LineResult = { state: 'unknown', detail: 'the program failed in the middle of it' };
    return { result, stop: 'The program failed.' };
  }
  if (error instanceof PaymentOutcomeUnknownError) return { result: unknownBecause(error.evidence) };
  // 'not-by-this-call' says nothing about a line: an unknown one stays unknown (`line-payer.ts`).
  if (error.mayHaveBeenProcessed === true) return { result: { state: 'unknown', detail: error.message } };
  if (error instanceof ReferenceReusedError) {
    const detail = 'it ended without success: give the row another reference and check again';
    return { result: { state: 'failed', detail } };
  }
  // A PaymentsValidationError, but the line is right: its day has no room.
  if (error.code === 'DAILY_CAP_REACHED') {
    return { result: { state: 'not-sent', detail: 'the day has no room for it' }, stop: error.message };
  }
  if (error.code === 'INSUFFICIENT_BALANCE') {
    const result: LineResult = { state: 'not-sent', detail: 'the wallet holds too little' };
    return { result, stop: 'The wallet holds too little: top it up.' };
  }
  if (error instanceof PaymentRejectedError || error instanceof PaymentsValidationError) {
    return { result: { state: 'refused', detail: error.message } };
  }
  return { result: { state: 'not-sent', detail: '' }, stop: error.message };
}
