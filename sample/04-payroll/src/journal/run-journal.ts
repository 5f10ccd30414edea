import { Injectable } from '@nestjs/common';
import { type JournalEntry, PaymentsJournal } from 'nestjs-payments';
import { paymentReference } from '../salaries/names.rule.js';

type Referenced = { readonly reference: string };

/** The journal's entries of a run. */
@Injectable()
export class RunJournal {
  constructor(private readonly journal: PaymentsJournal) {}

  /** Entries by the rows' own references. A line that was never sent has none. */
  async entries(run: string, rows: readonly Referenced[]): Promise<ReadonlyMap<string, JournalEntry>> {
    const found = new Map<string, JournalEntry>();
    for (const reference of new Set(rows.map((row) => row.reference))) {
      const entry = await this.journal.get('disbursement', paymentReference(run, reference));
      if (entry) found.set(reference, entry);
    }
    return found;
  }
}
