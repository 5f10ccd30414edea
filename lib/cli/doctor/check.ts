/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  readonly state: 'ok' | 'failed' | 'skipped';
  /** What the doctor found; never a secret. */
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string;
}

export function ok(name: string, detail: string): CheckResult {
  return { name, state: 'ok', detail };
}

export function failed(name: string, detail: string, fix: string): CheckResult {
  return { name, state: 'failed', detail, fix };
}

export function skipped(name: string, detail: string, fix: string): CheckResult {
  return { name, state: 'skipped', detail, fix };
}
