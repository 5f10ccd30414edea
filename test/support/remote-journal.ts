import { type JournalStore } from 'nestjs-payments';

/** A journal that is taken for one behind a network: nobody knows when it answers. */
export function remoteJournal(journal: JournalStore): JournalStore {
  return {
    insert: (...args) => journal.insert(...args),
    get: (...args) => journal.get(...args),
    tombstone: (...args) => journal.tombstone(...args),
    endTombstone: (...args) => journal.endTombstone(...args),
    replace: (...args) => journal.replace(...args),
    remove: (...args) => journal.remove(...args),
    list: (...args) => journal.list(...args),
    purge: (...args) => journal.purge(...args),
    accounts: (...args) => journal.accounts(...args),
  };
}
