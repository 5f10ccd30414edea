import { describe, expect, it } from 'vitest';
import { inboxContract as contract, type InboxUnderTest } from 'nestjs-payments/testing';
import { patientLibrary } from './patient-library.js';

export { type InboxUnderTest } from 'nestjs-payments/testing';
export { claimed, inboxDelivery, inboxKey } from '../../lib/testing/contracts/inbox-test.js';

/** Tests that leave a claim open while they need another writer: a database with one writer would wait for its end. */
const OF_SEVERAL_WRITERS = [
  'lets one of many take a delivery at the same time',
  'gives an expired claim to the next delivery, and its first holder changes nothing any more',
  'calls another outcome a conflict after the lease of the first ran out',
  'keeps accounts, environments, kinds and references apart',
  'lets one of many take over a claim at the same time after it failed',
  'lets one of many take over a claim at the same time after its lease ran out',
  'lets one of many take over a claim at the same time after it finished, to replace its outcome',
  'purges no claim whose lease ran out: its handlers must run again',
  'purges finished entries of one account that are old enough, and nothing unfinished',
  'purges no outcome that runs in place of a finished one',
  'leaves nothing behind, as if it had never been made',
  'takes nothing away once it ended or its lease was lost',
  'runs what has not finished, is busy and conflicts like every other delivery',
];

/**
 * What every inbox promises. Call it inside a `describe`.
 *
 * @param options.hasOneWriter Whether a claim that is open keeps all other writers waiting.
 */
export function inboxContract(
  open: () => Promise<InboxUnderTest> | InboxUnderTest,
  options: { readonly remembersHandlers?: boolean; readonly hasOneWriter?: boolean } = {},
): void {
  const { hasOneWriter = false, ...rest } = options;
  patientLibrary();
  const left = new Set(hasOneWriter ? OF_SEVERAL_WRITERS : []);
  const register = (title: string, test: () => Promise<void>): void => {
    if (!left.delete(title)) it(title, test);
  };
  contract({ describe, it: register, expect }, open, rest);
  if (hasOneWriter) {
    it('has each test that needs several writers', () => {
      expect([...left]).toEqual([]);
    });
  }
}
