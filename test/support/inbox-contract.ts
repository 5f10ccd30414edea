import { describe, expect, it } from 'vitest';
import { inboxContract as contract, type InboxUnderTest } from 'nestjs-payments/testing';
import { patientLibrary } from './patient-library.js';

export { type InboxUnderTest } from 'nestjs-payments/testing';
export { claimed, inboxDelivery, inboxKey } from '../../lib/testing/contracts/inbox-test.js';

/** What every inbox promises. Call it inside a `describe`. */
export function inboxContract(
  open: () => Promise<InboxUnderTest> | InboxUnderTest,
  options: { readonly remembersHandlers?: boolean } = {},
): void {
  patientLibrary();
  contract({ describe, it, expect }, open, options);
}
