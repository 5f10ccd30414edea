import { type ControlError } from './records.js';

/** Why the control API does not do what it was asked, as it answers it. */
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
