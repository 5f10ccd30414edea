import { PaymentsError } from '../../errors/payments-errors.js';
import { type BatchState } from '../../storage/batch-store.js';

/** What moves a batch from one state to another. */
export type BatchAction =
  | 'load'
  | 'check'
  | 'check-end'
  | 'check-stop'
  | 'accept'
  | 'approve-in-part'
  | 'approve'
  | 'start'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'end';

interface BatchTransition {
  readonly from: readonly BatchState[];
  readonly to: BatchState;
}

const TRANSITIONS: Readonly<Record<BatchAction, BatchTransition>> = {
  load: { from: ['loading'], to: 'loaded' },
  check: { from: ['loaded', 'checking', 'checked'], to: 'checking' },
  'check-end': { from: ['checking'], to: 'checked' },
  'check-stop': { from: ['checking'], to: 'loaded' },
  accept: { from: ['checked'], to: 'checking' },
  'approve-in-part': { from: ['checked'], to: 'checked' },
  approve: { from: ['checked'], to: 'approved' },
  start: { from: ['approved'], to: 'running' },
  // A person also holds a batch that would continue by itself.
  pause: { from: ['running', 'paused'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  cancel: { from: ['loaded', 'checking', 'checked', 'approved', 'running', 'paused'], to: 'cancelled' },
  end: { from: ['running'], to: 'ended' },
};

/** What has to come first, for each state in which somebody may try an action too early or too late. */
const NEXT_STEP: Readonly<Record<BatchState, string>> = {
  loading: 'its lines are still being loaded',
  loaded: 'check it first: await batch.check()',
  checking: 'wait until the check has ended: await batch.check()',
  checked: 'have it approved first: await batch.approve({ by })',
  approved: 'start it: await batch.start({ by })',
  running: 'it is being paid: pause or cancel it first',
  paused: 'resume or cancel it',
  ended: 'what could be sent was sent; pay lines that are blocked in another batch',
  cancelled: 'load what is to be paid as a new batch',
};

/** The state after an action; undefined if the batch is in a state in which the action does nothing. */
export function stateAfter(state: BatchState, action: BatchAction): BatchState | undefined {
  const { from, to } = TRANSITIONS[action];
  return from.includes(state) ? to : undefined;
}

/** The error of an action that does not fit the state of the batch. */
export function wrongState(batch: string, state: BatchState, action: BatchAction): PaymentsError {
  return new PaymentsError(
    'BATCH_STATE',
    `The batch "${batch}" is ${state}, so it cannot be changed by "${action}": ${NEXT_STEP[state]}.`,
  );
}
