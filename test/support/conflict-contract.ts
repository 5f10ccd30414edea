import { describe, expect, it } from 'vitest';
import { conflictContract as contract, type ConflictsUnderTest } from 'nestjs-payments/testing';

/** What every store of conflicts promises. Call it inside a `describe`. */
export function conflictContract(open: () => Promise<ConflictsUnderTest> | ConflictsUnderTest): void {
  contract({ describe, it, expect }, open);
}
