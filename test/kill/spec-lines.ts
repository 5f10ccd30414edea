import { EFFECT_HANDLER } from './check-event.js';
import { check, type Evidence, type Verdict } from './checker.js';
import { type Happening, type Line } from './history.js';
import { type Outcome } from './plan.js';
import { type Step } from './steps.js';

/** What the specs of the checker are written in: one event, which the replica 1.1 receives first. */
export const reference = 'order-1';
export const outcome: Outcome = 'success';
const LEASE_MS = 1_000;

export type Moment = Happening & { readonly at: number; readonly life?: string };
type Said = boolean | 'error';

const run = (
  attempt: number,
): { readonly reference: string; readonly outcome: Outcome; readonly attempt: number } => ({
  reference,
  outcome,
  attempt,
});
const by = (life: string | undefined): { readonly life?: string } => (life === undefined ? {} : { life });

export const claimed = (at: number, attempt = 1, life?: string): Moment => ({
  what: 'claimed',
  ...run(attempt),
  at,
  ...by(life),
});
export const effect = (at: number, attempt = 1, life?: string): Moment => ({
  what: 'effect',
  ...run(attempt),
  at,
  ...by(life),
});
export const marking = (at: number, attempt = 1, life?: string): Moment => ({
  what: 'marking',
  ...run(attempt),
  handler: EFFECT_HANDLER,
  at,
  ...by(life),
});
export const marked = (at: number, said: Said, attempt = 1, life?: string): Moment => ({
  what: 'marked',
  ...run(attempt),
  handler: EFFECT_HANDLER,
  at,
  said,
  ...by(life),
});
export const ending = (
  at: number,
  how: 'finish' | 'fail' | 'withdraw' = 'finish',
  attempt = 1,
  life?: string,
): Moment => ({
  what: 'ending',
  ...run(attempt),
  at,
  how,
  ...by(life),
});
export const finished = (at: number, said: Said, attempt = 1, life?: string): Moment => ({
  what: 'finished',
  ...run(attempt),
  at,
  said,
  ...by(life),
});
export const killed = (at: number, point = 'at random', life = '1.1'): Moment => ({
  what: 'killed',
  point,
  at,
  life,
});
export const answered: Moment = { what: 'answered', reference, at: 9_000, life: 'runner' };

/** A change of the entry, as the storage wrote it down. */
export const step = (state: Step['state'], attempt: number, more: Partial<Step> = {}): Step => ({
  reference,
  outcome,
  state,
  owner: `claim ${attempt}`,
  attempt,
  finished: [],
  changedAt: (attempt - 1) * LEASE_MS,
  leaseUntil: attempt * LEASE_MS,
  ...more,
});
const remembers = { finished: [EFFECT_HANDLER] };

export const handledOnce: readonly Moment[] = [
  claimed(0),
  effect(1),
  marking(2),
  marked(3, true),
  ending(4),
  finished(5, true),
];
export const handledOnceSteps: readonly Step[] = [
  step('running', 1),
  step('running', 1, remembers),
  step('done', 1),
];

/** The storage's own record of two claims, of which the second one ended. */
export const takenOver: readonly Step[] = [
  step('running', 1),
  step('running', 2),
  step('running', 2, remembers),
  step('done', 2),
];

export function verdict(moments: readonly Moment[], evidence: Partial<Evidence> = {}): Verdict {
  const lines = moments
    .map((moment): Line => ({ life: '1.1', ...moment }))
    .sort((one, other) => one.at - other.at);
  const plan: Evidence['plan'] = {
    references: [reference],
    crashPoints: new Map(),
    randomKills: randomly(moments, 'killed'),
    stopPoints: new Map(),
    randomStops: randomly(moments, 'stopped'),
    networkFaults: new Map(),
  };
  return check({
    plan,
    exactlyOnce: false,
    lines,
    steps: handledOnceSteps,
    effects: lines.flatMap((line) => (line.what === 'effect' ? [line] : [])),
    sent: new Map([[reference, [outcome]]]),
    setAside: new Map(),
    journal: new Map(),
    ...evidence,
  });
}

export function violations(moments: readonly Moment[], evidence?: Partial<Evidence>): readonly string[] {
  return verdict(moments, evidence).violations;
}

function randomly(moments: readonly Moment[], what: 'killed' | 'stopped'): number {
  return moments.filter((moment) => moment.what === what && moment.point === 'at random').length;
}
