import { EXIT, type ExitCode } from './exit-code.js';

/** Something that the operator must mend: one sentence, and where it helps a line for each place. */
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
