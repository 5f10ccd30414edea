import { type PaymentsStorage } from '../payments-storage.js';
import { type Encryption } from './encryption.js';
import { sealedConflicts } from './sealed-conflicts.js';
import { sealedInbox } from './sealed-inbox.js';
import { sealedJournal } from './sealed-journal.js';
import { ValueSealer } from './value-sealer.js';

/** A storage that gets personal data only sealed. The code that opened the storage beneath closes it. */
export function sealedStorage(
  { name, journal, inbox, conflicts }: PaymentsStorage,
  encryption: Encryption,
): Omit<PaymentsStorage, 'open' | 'close'> {
  const sealer = new ValueSealer(encryption);
  return {
    name,
    journal: sealedJournal(journal, sealer),
    inbox: sealedInbox(inbox, sealer),
    conflicts: sealedConflicts(conflicts, sealer),
  };
}
