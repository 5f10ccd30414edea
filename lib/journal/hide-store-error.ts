import { isPaymentsError, PaymentsStorageError } from '../errors/payments-errors.js';

/**
 * Hides a store's own error, which may hold an address or a password. No storage error here says that nothing
 * was made, because an unreadable payment may have been made.
 */
export async function withoutStoreDetails<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PaymentsStorageError) {
      const { message, reference, hint } = error;
      throw new PaymentsStorageError(message, { reference, hint }, 'not-by-this-call');
    }
    if (isPaymentsError(error)) throw error;
    const hint = 'Check the storage, then do it again: nothing was lost.';
    throw new PaymentsStorageError('The journal cannot be reached.', { hint }, 'not-by-this-call');
  }
}
