import { type InboxClaim } from '../../storage/inbox-store.js';
import { type HandlerStep } from '../handlers/handler-step.js';

/** Before the names of the steps that tell of a contradiction: a method may listen to it and to the outcome. */
const ANNOUNCEMENT = 'conflict ';

/** A step and under which name the inbox remembers that it finished; without a name it is not remembered. */
export interface PlannedStep extends HandlerStep {
  readonly mark?: string;
}

/** What is to be done for one delivery. */
export interface HandlerPlan {
  /** Whether the journal knows the payment. */
  readonly known: boolean;
  /** Tells of a contradiction, before the outcome is written down. */
  readonly announce?: readonly HandlerStep[];
  /**
   * Writes the outcome to the journal, where the delivery is one.
   *
   * @param claim With the journal of its transaction, where there is one.
   */
  readonly settle?: (claim: Pick<InboxClaim, 'attempt' | 'journal'>) => Promise<void>;
  readonly handlers: readonly HandlerStep[];
  /** Called once the work is recorded as done. Never throws. */
  readonly done: () => void;
}

/**
 * Puts the steps of a claim in order, without those that finished in an earlier run.
 *
 * The journal comes before the handlers, so that they find the payment settled. In a transaction it comes last: it is
 * undone with everything else, and its row is locked no longer than needed.
 */
export function planHandlers(
  { announce = [], settle, handlers }: Pick<HandlerPlan, 'announce' | 'settle' | 'handlers'>,
  claim: Pick<InboxClaim, 'attempt' | 'finished' | 'transaction' | 'journal'>,
): readonly PlannedStep[] {
  const { finished, transaction, journal } = claim;
  const first = withMarks(announce, ANNOUNCEMENT);
  const then = withMarks(handlers, '');
  const settling: readonly PlannedStep[] = settle
    ? [{ name: 'PaymentsJournal', run: () => settle(claim) }]
    : [];
  const inOrder = journal ? [...first, ...then, ...settling] : [...first, ...settling, ...then];
  // Beside a transaction nothing is remembered: what a handler wrote is undone with everything else.
  if (transaction !== undefined) return inOrder.map(unmarked);
  const open = inOrder.filter(({ mark }) => mark === undefined || !finished.includes(mark));
  return open.map((step, index) => (index === open.length - 1 ? unmarked(step) : step));
}

/** Whether an earlier run began to tell of a contradiction. */
export function wasAnnounced({ finished }: Pick<InboxClaim, 'finished'>): boolean {
  return finished.some((mark) => mark.startsWith(ANNOUNCEMENT));
}

/** Two steps of one name are told apart by their order. */
function withMarks(steps: readonly HandlerStep[], prefix: string): readonly PlannedStep[] {
  return steps.map((step, index) => {
    const twins = steps.slice(0, index).filter(({ name }) => name === step.name).length;
    const mark = `${prefix}${step.name}${twins === 0 ? '' : `#${twins + 1}`}`;
    return { name: step.name, mark, run: step.run };
  });
}

/** The end of the work says it all. */
function unmarked({ name, run }: PlannedStep): PlannedStep {
  return { name, run };
}
