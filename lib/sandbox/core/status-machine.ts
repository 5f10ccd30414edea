import { type COLLECTION_STATUSES, type DISBURSEMENT_STATUSES } from '../../common/vocabulary.js';

export type CollectionState = (typeof COLLECTION_STATUSES)[number];
export type DisbursementState = (typeof DISBURSEMENT_STATUSES)[number];
export type FinalCollectionState = 'success' | 'failed' | 'cancelled' | 'expired';
export type FinalDisbursementState = 'paid' | 'failed' | 'cancelled';

const COLLECTION_MOVES: Readonly<Record<CollectionState, readonly CollectionState[]>> = {
  pending: ['processing', 'success', 'failed', 'cancelled', 'expired'],
  processing: ['success', 'failed', 'cancelled', 'expired'],
  success: [],
  failed: [],
  cancelled: [],
  expired: [],
};

const DISBURSEMENT_MOVES: Readonly<Record<DisbursementState, readonly DisbursementState[]>> = {
  pending: ['processing', 'paid', 'failed', 'cancelled'],
  processing: ['paid', 'failed', 'cancelled'],
  paid: [],
  failed: [],
  cancelled: [],
};

export function isFinalCollection(state: CollectionState | DisbursementState): state is FinalCollectionState {
  return state in COLLECTION_MOVES && COLLECTION_MOVES[state as CollectionState].length === 0;
}

export function isFinalDisbursement(
  state: CollectionState | DisbursementState,
): state is FinalDisbursementState {
  return state in DISBURSEMENT_MOVES && DISBURSEMENT_MOVES[state as DisbursementState].length === 0;
}

export function canMoveCollection(from: CollectionState, to: CollectionState): boolean {
  return COLLECTION_MOVES[from].includes(to);
}

export function canMoveDisbursement(from: DisbursementState, to: DisbursementState): boolean {
  return DISBURSEMENT_MOVES[from].includes(to);
}
