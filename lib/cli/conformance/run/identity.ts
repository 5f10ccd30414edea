import { createHash } from 'node:crypto';

/** What a run gives each of its requests. The same run gives the same again, so that a resumed one pays nothing twice. */
interface StepIdentity {
  readonly run: string;
  readonly question: string;
  readonly step: number;
}

const LENGTH = 24;

/** A reference of letters and digits, of 24 characters unless said. */
export function referenceFor(identity: StepIdentity, length = LENGTH): string {
  const start = `nc${digest(identity, 'reference').slice(0, Math.min(length, LENGTH) - 2)}`;
  return start.padEnd(length, 'x');
}

/** An idempotency key in the form of a UUID. */
export function keyFor(identity: StepIdentity): string {
  const hex = digest(identity, 'key');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function digest({ run, question, step }: StepIdentity, use: string): string {
  return createHash('sha256')
    .update(JSON.stringify([run, question, step, use]))
    .digest('hex');
}
