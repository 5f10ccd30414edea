import { describe, expect, it } from 'vitest';
import {
  dailyCapContract as capContract,
  damagedJournalContract as damagedContract,
  journalContract as contract,
  type JournalDamage,
  type JournalUnderTest,
} from 'nestjs-payments/testing';
import { patientLibrary } from './patient-library.js';

export { allBut, journalRecord, storedBy } from '../../lib/testing/contracts/journal-test.js';

type OpenJournal = () => Promise<JournalUnderTest> | JournalUnderTest;

/** What every journal promises. Call it inside a `describe`. */
export function journalContract(open: OpenJournal): void {
  patientLibrary();
  contract({ describe, it, expect }, open);
}

/** What every journal outside of the process promises about a payment whose record cannot be read. */
export function damagedJournalContract(open: OpenJournal, damages: readonly JournalDamage[]): void {
  damagedContract({ describe, it, expect }, open, damages);
}

/** What every journal with `dailyCaps` promises. Call it inside a `describe`. */
export function dailyCapContract(open: OpenJournal): void {
  patientLibrary();
  capContract({ describe, it, expect }, open);
}
