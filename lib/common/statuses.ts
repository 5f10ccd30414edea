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
 * @publicApi
 */
export type CollectionStatus = (typeof COLLECTION_STATUSES)[number] | (string & {});

/**
 * Status of a disbursement. A value that the specification does not list is kept as it came.
 *
 * @publicApi
 */
export type DisbursementStatus = (typeof DISBURSEMENT_STATUSES)[number] | (string & {});
