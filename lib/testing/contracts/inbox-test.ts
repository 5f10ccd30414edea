import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from '../../storage/inbox-store.js';
import { type JournalStore } from '../../storage/journal-store.js';
import { type ContractExpect } from './contract-framework.js';

/**
 * An inbox under test, with a clock that the tests can move.
 *
 * @publicApi
 */
export interface InboxUnderTest {
  /** Empty. */
  readonly inbox: InboxStore;
  /**
   * The journal of the same storage. If claims have transactions, with it the tests also show that nobody else sees what is
   * not committed.
   */
  readonly journal?: JournalStore | undefined;
  /** Lets time pass for the store, in milliseconds. */
  readonly pass: (ms: number) => Promise<void> | void;
}

/** What a test of an inbox gets. */
export interface InboxTest extends InboxUnderTest {
  readonly expect: ContractExpect;
  readonly claim: (delivery: InboxDelivery) => Promise<ClaimResult>;
  readonly remembersHandlers: boolean;
}

export const LEASE_MS = 60_000;

export function inboxTest(
  expect: ContractExpect,
  { inbox, journal, pass }: InboxUnderTest,
  remembersHandlers: boolean,
): InboxTest {
  return {
    expect,
    inbox,
    journal,
    pass,
    claim: (delivery) => inbox.claim(delivery, LEASE_MS),
    remembersHandlers,
  };
}

export function inboxKey(reference: string, change: Partial<InboxKey> = {}): InboxKey {
  return { account: 'default', environment: 'sandbox', kind: 'outcome', reference, ...change };
}

export function inboxDelivery(reference: string, change: Partial<InboxDelivery> = {}): InboxDelivery {
  return { key: inboxKey(reference), event: 'payment.success', fingerprint: 'f1', replaces: [], ...change };
}

export function claimed(result: ClaimResult): InboxClaim {
  if (result.result !== 'claimed') throw new Error(`expected a claim, got ${result.result}`);
  return result.claim;
}
