import { describe, expect, it } from 'vitest';
import { type ClaimResult, type InboxStore, memoryStorage } from 'nestjs-payments';
import { claimed, inboxDelivery, type InboxUnderTest } from './inbox-contract.js';

const LEASE_MS = 60_000;

/** What came before: an entry of the fingerprint f1 in each state that an entry can have. */
const BEFORE = ['nothing', 'running', 'expired', 'open', 'done'] as const;
const DELIVERIES = [
  { fingerprint: 'f1', replaces: [] },
  { fingerprint: 'f1', replaces: 'any' },
  { fingerprint: 'f2', replaces: [] },
  { fingerprint: 'f2', replaces: ['f3'] },
  { fingerprint: 'f2', replaces: ['f3', 'f1'] },
  { fingerprint: 'f2', replaces: 'any' },
  { fingerprint: 'f1', replaces: [], providerReference: 'p1' },
  { fingerprint: 'f1', replaces: [], providerReference: 'p2' },
  { fingerprint: 'f1', replaces: ['f1'], providerReference: 'p2' },
  { fingerprint: 'f1', replaces: [], mustExist: true },
  { fingerprint: 'f1', replaces: [], mustExist: true, providerReference: 'p2' },
  { fingerprint: 'f2', replaces: [], mustExist: true },
  { fingerprint: 'f2', replaces: 'any', mustExist: true },
] as const;
const PROVIDERS = [{}, { providerReference: 'p1' }] as const;

async function prepare(
  inbox: InboxStore,
  before: (typeof BEFORE)[number],
  provider: (typeof PROVIDERS)[number],
  pass: (ms: number) => unknown,
): Promise<void> {
  if (before === 'nothing') return;
  const first = claimed(await inbox.claim(inboxDelivery('order-1', provider), LEASE_MS));
  if (before === 'open') await first.fail();
  if (before === 'done') await first.finish();
  if (before === 'expired') await pass(LEASE_MS);
}

function told(result: ClaimResult): object {
  return result.result === 'claimed'
    ? { result: result.result, attempt: result.claim.attempt }
    : { ...result, leaseLeftMs: undefined };
}

/** A statement that claims decides as the memory storage does. Call it inside a `describe`. */
export function claimDecisions(open: () => Promise<InboxUnderTest> | InboxUnderTest): void {
  const cases = BEFORE.flatMap((before) => PROVIDERS.map((provider) => ({ before, provider })));
  describe.each(cases)('if the entry before is $before with $provider', ({ before, provider }) => {
    it.each(DELIVERIES)('decides about %j as the memory does', async (change) => {
      let now = 0;
      const memory = memoryStorage({ now: () => now }).inbox;
      const { inbox, pass } = await open();
      await prepare(memory, before, provider, (ms) => (now += ms));
      await prepare(inbox, before, provider, pass);
      const delivery = inboxDelivery('order-1', { event: 'payment.expired', ...change });
      const expected = told(await memory.claim(delivery, LEASE_MS));
      expect(told(await inbox.claim(delivery, LEASE_MS))).toEqual(expected);
      // What the entry has become decides about the next one.
      await pass(LEASE_MS);
      now += LEASE_MS;
      const next = inboxDelivery('order-1', { providerReference: 'p3' });
      expect(told(await inbox.claim(next, LEASE_MS))).toEqual(told(await memory.claim(next, LEASE_MS)));
    });
  });
}
