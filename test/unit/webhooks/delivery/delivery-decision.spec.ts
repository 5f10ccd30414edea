import { describe, expect, it } from 'vitest';
import { type WebhookPayment } from '../../../../lib/journal/outcomes/webhook-outcomes.js';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import {
  decideDelivery,
  type DeliveryDecision,
  type DeliveryRules,
} from '../../../../lib/webhooks/delivery/delivery-decision.js';

const RULES: DeliveryRules = { supersede: [], unknownReferences: 'handle', handlesUnrecognized: () => false };
const SUPERSEDE: DeliveryRules = { ...RULES, supersede: [['payment.failed', 'payment.success']] };
const SET_ASIDE: DeliveryRules = { ...RULES, unknownReferences: 'set-aside' };
const ACKNOWLEDGE: DeliveryRules = { ...RULES, unknownReferences: 'acknowledge' };
const KNOWN: WebhookPayment = { known: true, fit: 'fits' };
const UNKNOWN: WebhookPayment = { known: false, fit: 'fits' };
const SPELLED: WebhookPayment = { known: false, fit: 'other-spelling' };
const OTHERWISE = { known: true, fit: 'settled-otherwise' } as const;

const run = (mustExist = false) => ({ act: 'handle', mustExist }) as const;
const aside = (kind: string, problem = '', mayBeReleased = false) => ({
  act: 'set-aside',
  kind,
  problem: expect.stringContaining(problem) as unknown,
  mayBeReleased,
});

describe('what becomes of a delivery', () => {
  it.each<[string, string, Record<string, unknown>, WebhookPayment, DeliveryRules, object]>([
    ['that fits', 'payment.success', {}, KNOWN, RULES, run()],
    [
      'of an earlier attempt',
      'payment.failed',
      {},
      { known: true, fit: 'earlier-attempt' },
      RULES,
      aside('conflict', 'an earlier attempt'),
    ],
    ['that contests', 'payment.success', {}, { known: true, fit: 'contested' }, RULES, run()],
    [
      'that a webhook has settled',
      'payment.success',
      {},
      { known: true, fit: 'settled' },
      SUPERSEDE,
      run(true),
    ],
    ['after another', 'payment.success', {}, { ...OTHERWISE, outcome: 'failed' }, RULES, run(true)],
    [
      'after one that it replaces',
      'payment.success',
      {},
      { ...OTHERWISE, outcome: 'failed' },
      SUPERSEDE,
      run(),
    ],
    [
      'after one that it does not',
      'payment.success',
      {},
      { ...OTHERWISE, outcome: 'expired' },
      SUPERSEDE,
      run(true),
    ],
    [
      'after one that only another replaces',
      'payment.expired',
      {},
      { ...OTHERWISE, outcome: 'failed' },
      SUPERSEDE,
      run(true),
    ],
    ['that would reverse', 'payment.failed', {}, { ...OTHERWISE, outcome: 'success' }, SUPERSEDE, run(true)],
    ['of a second charge', 'payment.success', {}, { ...OTHERWISE, outcome: 'success' }, SUPERSEDE, run(true)],
    [
      'with other money',
      'payment.success',
      {},
      { known: true, fit: 'mismatch' },
      RULES,
      aside('mismatch', 'amount'),
    ],
    [
      'with other money, after a webhook that said the same',
      'payment.success',
      {},
      { known: true, fit: 'mismatch', isSettledSo: true },
      RULES,
      aside('mismatch', 'amount', true),
    ],
    [
      'in another currency',
      'payment.success',
      { currency: 'USD' },
      KNOWN,
      RULES,
      aside('mismatch', 'TZS', true),
    ],
    ['of an unknown name', 'payment.succeeded', {}, KNOWN, RULES, aside('unrecognized', 'specification')],
    [
      'of a name that has a handler',
      'payment.succeeded',
      {},
      KNOWN,
      { ...RULES, handlesUnrecognized: () => true },
      { act: 'notify' },
    ],
    ['of nobody', 'payment.success', {}, UNKNOWN, RULES, run()],
    ['of nobody', 'payment.success', {}, UNKNOWN, SET_ASIDE, aside('unknown-reference', 'journal', true)],
    ['of nobody', 'payment.success', {}, UNKNOWN, ACKNOWLEDGE, { act: 'acknowledge' }],
    [
      'of nobody, that contradicts itself',
      'payment.success',
      { status: 'failed' },
      UNKNOWN,
      ACKNOWLEDGE,
      { act: 'acknowledge' },
    ],
    ['of nobody, by an unknown name', 'payment.late', {}, UNKNOWN, SET_ASIDE, aside('unknown-reference')],
    ['of somebody', 'payment.success', {}, KNOWN, ACKNOWLEDGE, run()],
    ['of somebody', 'payment.success', {}, KNOWN, SET_ASIDE, run()],
    ['of another spelling', 'payment.success', {}, SPELLED, RULES, aside('mismatch', 'white space')],
    ['of another spelling', 'payment.success', {}, SPELLED, ACKNOWLEDGE, aside('mismatch', 'white space')],
  ])('%s: %s with %j, of %j under %j', (_what, name, data, existing, rules, decision) => {
    const decided: DeliveryDecision = decideDelivery(paymentEvent(name, data), existing, rules);
    expect(decided).toEqual(decision);
  });
});
