import {
  type COLLECTION_STATUSES,
  type DISBURSEMENT_STATUSES,
  FINAL_STATUSES,
} from '../../common/vocabulary.js';

export type CollectionState = (typeof COLLECTION_STATUSES)[number];
export type DisbursementState = (typeof DISBURSEMENT_STATUSES)[number];
export type FinalState<Family extends keyof typeof FINAL_STATUSES> = (typeof FINAL_STATUSES)[Family][number];
type State = CollectionState | DisbursementState;

export function isFinal<Family extends keyof typeof FINAL_STATUSES>(
  family: Family,
  state: State,
): state is FinalState<Family> {
  return FINAL_STATUSES[family].some((final) => final === state);
}

const BEFORE_THE_END: Partial<Record<State, number>> = { pending: 0, processing: 1 };

/** A payment may skip `processing`. Nothing leaves a final state. */
export function canMove(from: State, to: State): boolean {
  return (BEFORE_THE_END[from] ?? 2) < (BEFORE_THE_END[to] ?? 2);
}
