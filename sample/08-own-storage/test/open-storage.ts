import { type PaymentsStorage } from 'nestjs-payments';
import { documentStorage } from '../src/document-storage.js';
import { type Documents } from '../src/documents.js';

/** A storage with a clock that a test can move. */
export function openStorage(documents: Documents): PaymentsStorage & { pass(ms: number): void } {
  let ahead = 0;
  const storage = documentStorage(documents, () => Date.now() + ahead);
  return {
    ...storage,
    pass: (ms) => {
      ahead += ms;
    },
  };
}
