/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  readonly state: 'ok' | 'failed' | 'skipped';
  /** What the doctor found; never a secret. */
  readonly detail: string;
  /** What to do about it, one thing a line. */
  readonly fix?: string;
}

export function ok(name: string, detail: string): CheckResult {
  return { name, state: 'ok', detail };
}

export const failed = resultOf('failed');
export const skipped = resultOf('skipped');

function resultOf(state: 'failed' | 'skipped') {
  return (name: string, detail: string, fix: string): CheckResult => ({ name, state, detail, fix });
}
