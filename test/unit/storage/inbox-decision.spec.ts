import { describe, expect, it } from 'vitest';
import { decideClaim, type InboxDecision, type InboxEntry } from '../../../lib/storage/inbox-decision.js';
import { inboxDelivery } from '../../support/inbox-contract.js';

const NOW = 1_000;
const entry = (state: InboxEntry['state'], fingerprint = 'f1', leaseUntil = 0): InboxEntry => ({
  event: 'payment.success',
  fingerprint,
  state,
  leaseUntil,
});

describe('decideClaim()', () => {
  it.each<[string, InboxEntry, readonly string[] | 'any', InboxDecision]>([
    ['the same is done', entry('done'), [], 'done'],
    ['the same is done and may be replaced by anything', entry('done'), 'any', 'done'],
    ['the same failed', entry('open'), [], 'run'],
    ['the same runs', entry('running', 'f1', NOW + 1), [], 'busy'],
    ['the same ran until its lease ended', entry('running', 'f1', NOW), [], 'run'],
    ['another is done', entry('done', 'f0'), [], 'conflict'],
    ['another failed', entry('open', 'f0'), [], 'conflict'],
    ['another runs', entry('running', 'f0', NOW + 1), 'any', 'busy'],
    ['another ran until its lease ended', entry('running', 'f0', NOW), [], 'conflict'],
    ['another is done that it may replace', entry('done', 'f0'), ['f0'], 'run-instead'],
    ['another is done that it may not replace', entry('done', 'f0'), ['f9'], 'conflict'],
    ['another failed and anything may be replaced', entry('open', 'f0'), 'any', 'run-instead'],
  ])('when %s', (_what, existing, replaces, decision) => {
    expect(decideClaim(existing, inboxDelivery('order-1', { replaces }), NOW)).toBe(decision);
  });

  it.each<[string | undefined, string | undefined, readonly string[] | 'any', InboxDecision]>([
    [undefined, undefined, [], 'done'],
    ['p1', undefined, [], 'done'],
    [undefined, 'p1', [], 'done'],
    ['p1', 'p1', [], 'done'],
    ['p1', 'p2', [], 'conflict'],
    ['p1', 'p2', 'any', 'run-instead'],
  ])(
    'when %s of the provider is done and %s comes, which replaces %j',
    (before, given, replaces, decision) => {
      const existing = { ...entry('done'), providerReference: before };
      const delivery = inboxDelivery('order-1', { replaces, ...(given && { providerReference: given }) });
      expect(decideClaim(existing, delivery, NOW)).toBe(decision);
    },
  );
});
