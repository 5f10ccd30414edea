import { PaymentsValidationError } from '../errors/payments-errors.js';

const LONGEST_NOTE = 2_000;

export function noteProblem(note: unknown): string | undefined {
  const isNote = typeof note === 'string' && note.trim() !== '' && note.length <= LONGEST_NOTE;
  return isNote ? undefined : `note must be a text of 1 to ${LONGEST_NOTE} characters that says why`;
}

export function statementProblem(statement: unknown): string | undefined {
  if (statement === undefined) return undefined;
  const { rows, discard }: { readonly rows?: unknown; readonly discard?: unknown } = statement ?? {};
  if (typeof rows === 'function') {
    const isComplete = discard === undefined || typeof discard === 'function';
    return isComplete ? undefined : 'statement.discard must be a function, or be left out';
  }
  return 'statement must be a statement: write csvStatement({ stream }), or leave it out';
}

export function flagProblem(name: string, value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : `${name} must be true or false`;
}

/** @throws PaymentsValidationError that names every problem. */
export function check(problems: Readonly<Record<string, string | undefined>>): void {
  const found = Object.entries(problems).flatMap(([field, problem]) =>
    problem === undefined ? [] : [[field, [problem]]],
  );
  if (found.length > 0)
    throw new PaymentsValidationError(Object.fromEntries(found) as Record<string, string[]>);
}
