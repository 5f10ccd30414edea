import { type Outcome } from './plan.js';

/** An entry of the inbox as the storage itself wrote it down, one for each change, in the storage's own order. */
export interface Step {
  readonly reference: string;
  readonly outcome: Outcome;
  readonly state: 'running' | 'open' | 'done' | 'gone';
  /** The fence or the token of the claim that the entry had last. */
  readonly owner: string;
  /** Which claim of the outcome it is, 1 for the first. */
  readonly attempt: number;
  /** The handlers that need not run again. */
  readonly finished: readonly string[];
  /** By the clock of the storage: when a claim began, and until when it holds. */
  readonly changedAt: number;
  readonly leaseUntil: number;
}

/**
 * What the storage must never do with an entry, for any caller.
 *
 * @param steps Of one reference, in their order.
 * @param released The outcomes that an operator released.
 */
export function stepFaults(steps: readonly Step[], released: readonly Outcome[]): string[] {
  return steps.flatMap((step, index) => {
    const before = steps[index - 1];
    const faults = before && before.state !== 'gone' ? faultsBetween(before, step, released) : [];
    return faults.map((fault) => `${step.reference} ${fault}`);
  });
}

export function isClaim(step: Step, before: Step | undefined): boolean {
  return step.state === 'running' && step.owner !== before?.owner;
}

function faultsBetween(before: Step, step: Step, released: readonly Outcome[]): string[] {
  if (step.outcome !== before.outcome) {
    return [
      ...(isClaim(step, before) ? heldFaults(before, step) : ['changed its outcome without a claim']),
      ...(released.includes(step.outcome) ? [] : ['got another outcome that nobody released']),
    ];
  }
  const forgotten = before.finished.filter((handler) => !step.finished.includes(handler));
  const forgets =
    step.state === 'running' && forgotten.length > 0 ? ['forgot that a handler had finished'] : [];
  if (!isClaim(step, before)) {
    const isEnded = before.state !== 'running' && step.state !== 'gone' && step.state !== before.state;
    return [...forgets, ...(isEnded ? [`became ${step.state} after it was ${before.state}`] : [])];
  }
  return [
    ...forgets,
    ...heldFaults(before, step),
    ...(before.state === 'done' ? ['was claimed though it was done'] : []),
    ...(step.attempt > before.attempt ? [] : ['was claimed with the number of another claim']),
  ];
}

function heldFaults(before: Step, claim: Step): string[] {
  const held = before.state === 'running' && before.leaseUntil > claim.changedAt;
  return held ? ['was claimed while another claim held'] : [];
}
