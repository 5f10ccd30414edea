import {
  type OutcomePlan,
  type DeliveryPlan,
  type ScheduledTransition,
  PLAIN_DELIVERY,
} from '../core/outcome-plan.js';
import { type Fault } from '../core/fault.js';
import { SANDBOX_OPERATIONS, type SandboxOperation } from '../core/operation-name.js';
import { operationsThatMake } from '../core/operations.js';
import { type RefusalCode } from '../core/refusal.js';

/** The effect of the last four digits of a phone or account number. */
export interface Scenario {
  readonly ending: string;
  readonly operations: readonly SandboxOperation[];
  /** The text in `docs/sandbox.md`. */
  readonly description: string;
  readonly refusal?: RefusalCode;
  readonly fault?: Fault;
  readonly plan?: OutcomePlan;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const COLLECT = operationsThatMake('collection');
const PAY_OUT = operationsThatMake('payout');
const READ = operationsThatMake(undefined);
const TO_BANK = ['POST /disbursements/bank'] as const;
const TO_PHONE = ['POST /disbursements/mobile-money'] as const;
const LOOK_UP = ['POST /disbursements/name-lookup'] as const;

/** All magic numbers. An ending may have one meaning for collections and another for payouts. */
export const SCENARIOS: readonly Scenario[] = [
  {
    ending: '0001',
    operations: COLLECT,
    description: 'approved after 2 s: `success`',
    plan: ending(2 * SECOND, 'success'),
  },
  {
    ending: '0002',
    operations: COLLECT,
    description: '`processing` after 2 s, `success` after 30 s',
    plan: plan([
      { afterMs: 2 * SECOND, to: 'processing' },
      { afterMs: 30 * SECOND, to: 'success' },
    ]),
  },
  {
    ending: '0003',
    operations: COLLECT,
    description: 'declined by the customer after 2 s: `cancelled`',
    plan: ending(2 * SECOND, 'cancelled'),
  },
  {
    ending: '0004',
    operations: COLLECT,
    description: 'fails after 2 s (not enough money): `failed`',
    plan: ending(2 * SECOND, 'failed'),
  },
  {
    ending: '0005',
    operations: COLLECT,
    description: 'never answered: `expired` when its time is up, with `auto` too',
    plan: plan([]),
  },
  {
    ending: '0006',
    operations: COLLECT,
    description: 'stuck: `pending` for ever, no webhook',
    plan: { ...plan([]), expires: false },
  },
  {
    ending: '0007',
    operations: COLLECT,
    description: 'approved after 2 s, its webhook delivered twice',
    plan: ending(2 * SECOND, 'success', { copies: 2 }),
  },
  {
    ending: '0008',
    operations: COLLECT,
    description: 'approved at once: the webhook comes before the HTTP answer, which still says `pending`',
    plan: { ...ending(0, 'success'), beforeAnswer: true },
  },
  {
    ending: '0009',
    operations: COLLECT,
    description: 'approved after 2 s, the first three deliveries lost, then redelivered by the schedule',
    plan: ending(2 * SECOND, 'success', { lost: 3 }),
  },
  {
    ending: '0010',
    operations: COLLECT,
    description: 'approved after 2 s, a forged signature first, then the right one',
    plan: ending(2 * SECOND, 'success', { forgedFirst: true }),
  },
  {
    ending: '0001',
    operations: PAY_OUT,
    description: 'paid after 2 s: `paid`',
    plan: ending(2 * SECOND, 'paid'),
  },
  {
    ending: '0002',
    operations: PAY_OUT,
    description: 'slow: `paid` after 10 min',
    plan: ending(10 * MINUTE, 'paid'),
  },
  {
    ending: '0003',
    operations: PAY_OUT,
    description: 'fails after 2 s and the locked money returns: `failed`',
    plan: ending(2 * SECOND, 'failed'),
  },
  {
    ending: '0004',
    operations: PAY_OUT,
    description: 'cancelled after 2 s and the locked money returns: `cancelled`',
    plan: ending(2 * SECOND, 'cancelled'),
  },
  {
    ending: '0005',
    operations: PAY_OUT,
    description: 'stuck: `processing` for ever, the money stays locked',
    plan: plan([]),
  },
  {
    ending: '0404',
    operations: LOOK_UP,
    description: 'refused: `ACCOUNT_NOT_FOUND`',
    refusal: 'ACCOUNT_NOT_FOUND',
  },
  {
    ending: '0404',
    operations: TO_BANK,
    description: 'refused: `INVALID_ACCOUNT`',
    refusal: 'INVALID_ACCOUNT',
  },
  {
    ending: '0406',
    operations: TO_BANK,
    description: 'refused: `ACCOUNT_NAME_MISMATCH`',
    refusal: 'ACCOUNT_NAME_MISMATCH',
  },
  {
    ending: '0410',
    operations: LOOK_UP,
    description: 'refused: `INVALID_BANK_CODE`',
    refusal: 'INVALID_BANK_CODE',
  },
  { ending: '0410', operations: TO_BANK, description: 'refused: `INVALID_BANK`', refusal: 'INVALID_BANK' },
  { ending: '0422', operations: TO_PHONE, description: 'refused: `INVALID_PHONE`', refusal: 'INVALID_PHONE' },
  {
    ending: '0502',
    operations: PAY_OUT,
    description: 'refused: `PROVIDER_ERROR`',
    refusal: 'PROVIDER_ERROR',
  },
  {
    ending: '0429',
    operations: SANDBOX_OPERATIONS,
    description: '429 with `Retry-After: 2`, every time',
    fault: { kind: 'status', status: 429, options: { retryAfter: 2 } },
  },
  {
    ending: '0500',
    operations: SANDBOX_OPERATIONS,
    description: '500 as an HTML page, not processed',
    fault: { kind: 'html', status: 500 },
  },
  {
    ending: '0504',
    operations: COLLECT,
    description: 'accepted, but the connection is dropped instead of an answer; approved after 2 s',
    fault: { kind: 'dropAfterProcessing' },
    plan: ending(2 * SECOND, 'success'),
  },
  {
    ending: '0504',
    operations: PAY_OUT,
    description: 'accepted, but the connection is dropped instead of an answer; paid after 2 s',
    fault: { kind: 'dropAfterProcessing' },
    plan: ending(2 * SECOND, 'paid'),
  },
  {
    ending: '0504',
    operations: READ,
    description: 'the connection is dropped instead of an answer',
    fault: { kind: 'dropAfterProcessing' },
  },
];

/** The scenarios of an operation. */
export function scenariosOf(operation: SandboxOperation): readonly Scenario[] {
  return SCENARIOS.filter(({ operations }) => operations.includes(operation));
}

export function findScenario(operation: SandboxOperation, code: string): Scenario | undefined {
  return scenariosOf(operation).find((scenario) => scenario.ending === code);
}

function plan(
  transitions: readonly ScheduledTransition[],
  delivery: Partial<DeliveryPlan> = {},
): OutcomePlan {
  return { transitions, expires: true, beforeAnswer: false, delivery: { ...PLAIN_DELIVERY, ...delivery } };
}

function ending(
  afterMs: number,
  to: ScheduledTransition['to'],
  delivery?: Partial<DeliveryPlan>,
): OutcomePlan {
  return plan([{ afterMs, to }], delivery);
}
