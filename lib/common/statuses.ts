import { type PaymentFamily } from './operations.js';

/** Statuses of a collection (specification, "States and transitions"). */
export const COLLECTION_STATUSES = [
  'pending',
  'processing',
  'success',
  'failed',
  'cancelled',
  'expired',
] as const;

/** Statuses of a disbursement (specification, "States and transitions"). */
export const DISBURSEMENT_STATUSES = ['pending', 'processing', 'paid', 'failed', 'cancelled'] as const;

/**
 * Status of a collection. A value that the specification does not list is kept as it came.
 *
 * @useDeclaredType
 * @publicApi
 */
export type CollectionStatus = (typeof COLLECTION_STATUSES)[number] | (string & {});

/**
 * Status of a disbursement. A value that the specification does not list is kept as it came.
 *
 * @useDeclaredType
 * @publicApi
 */
export type DisbursementStatus = (typeof DISBURSEMENT_STATUSES)[number] | (string & {});

/** The statuses with which a payment ends, per family (specification, "States and transitions"). */
export const FINAL_STATUSES = {
  collection: ['success', 'failed', 'cancelled', 'expired'],
  disbursement: ['paid', 'failed', 'cancelled'],
} as const;

/**
 * How a payment ended. Money moved with `success` (collections) and `paid` (disbursements) only.
 *
 * @useDeclaredType
 * @publicApi
 */
export type PaymentOutcome = (typeof FINAL_STATUSES)['collection' | 'disbursement'][number];

/** A status with which a payment of this family ends; undefined for every other value. */
export function finalStatus(family: PaymentFamily, status: unknown): PaymentOutcome | undefined {
  const outcomes: readonly PaymentOutcome[] = FINAL_STATUSES[family];
  return outcomes.find((outcome) => outcome === status);
}

/** Whether money moved in a payment that ended so. */
export function movesMoney(outcome: PaymentOutcome | undefined): boolean {
  return outcome === 'success' || outcome === 'paid';
}
