import { describe, expect, it } from 'vitest';
import { joinedJournalContract as contract, type JoinedJournalUnderTest } from 'nestjs-payments/testing';

/** What every journal with `within` promises. Call it inside a `describe`. */
export function joinedJournalContract(
  open: () => Promise<JoinedJournalUnderTest> | JoinedJournalUnderTest,
): void {
  contract({ describe, it, expect }, open);
}
