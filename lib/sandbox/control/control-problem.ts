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
