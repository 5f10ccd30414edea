import { EXIT, type ExitCode } from './exit-code.js';

/** A problem for the operator to fix: one sentence, and optionally a line for each place. */
export class PayrollProblem extends Error {
  override readonly name = 'PayrollProblem';

  constructor(
    message: string,
    readonly details: readonly string[] = [],
    readonly exitCode: ExitCode = EXIT.problem,
  ) {
    super(message);
  }
}
