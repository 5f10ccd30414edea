import { type Refusal, refusedBeforehand } from '../core/refusal.js';
import { type ControlError } from './records.js';

/** An error answer of the control API. */
export class ControlProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    /** What happened, and what to write instead. */
    message: string,
  ) {
    super(message);
  }

  get body(): ControlError {
    return { error: { code: this.code, message: this.message } };
  }
}

/** The control API and everything that may be meant for it. */
const CONTROL_PATH = /^\/_sandbox(?:[/?]|$)/;

/** An error in the form of the API that a request is for: the gateway's, or the control API's. */
export function problemAt(
  url: string | undefined,
  status: number,
  code: string,
  message: string,
): Refusal | ControlProblem {
  return CONTROL_PATH.test(url ?? '')
    ? new ControlProblem(status, code, message)
    : refusedBeforehand(status, code, message);
}
