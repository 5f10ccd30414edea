import { type PaymentsStorage } from 'nestjs-payments';
import { DocumentConflicts } from './document-conflicts.js';
import { DocumentInbox } from './document-inbox.js';
import { DocumentJournal } from './document-journal.js';
import { type Documents } from './documents.js';

/**
 * A storage in any database that changes a document only for who knows its version.
 *
 * @param now The database's time in milliseconds since 1970, if it has one: replicas may have different clocks.
 */
export function documentStorage(documents: Documents, now: () => number = Date.now): PaymentsStorage {
  return {
    name: 'documents',
    journal: new DocumentJournal(documents, now),
    inbox: new DocumentInbox(documents, now),
    conflicts: new DocumentConflicts(documents, now),
  };
}
