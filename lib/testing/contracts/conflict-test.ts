import { type ConflictStore, type SetAsideDelivery } from '../../storage/conflict-store.js';
import { type InboxStore } from '../../storage/inbox-store.js';
import { type ContractExpect } from './contract-framework.js';

/**
 * The conflicts under test with the inbox of the same storage, and a clock that the tests can move.
 *
 * @publicApi
 */
export interface ConflictsUnderTest {
  /** Empty. */
  readonly conflicts: ConflictStore;
  /** Empty too. */
  readonly inbox: InboxStore;
  /** Lets time pass for the store, in milliseconds. */
  readonly pass: (ms: number) => Promise<void> | void;
}

/** What a test of conflicts gets. */
export interface ConflictsTest extends ConflictsUnderTest {
  readonly expect: ContractExpect;
}

export const CONFLICT_SCOPE = { account: 'default', environment: 'sandbox' } as const;
export const OTHER_SCOPES = [
  { ...CONFLICT_SCOPE, account: 'payouts' },
  { ...CONFLICT_SCOPE, environment: 'production' },
] as const;
export const PAGE = { limit: 100 };

export function setAside(change: Partial<SetAsideDelivery> = {}): SetAsideDelivery {
  return {
    ...CONFLICT_SCOPE,
    kind: 'conflict',
    event: 'payment.failed',
    reference: 'order-1',
    fingerprint: 'f2',
    payload: '{}',
    ...change,
  };
}
