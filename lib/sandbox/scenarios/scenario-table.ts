import {
  type OutcomePlan,
  type DeliveryPlan,
  type ScheduledTransition,
  PLAIN_DELIVERY,
  WAITING,
} from '../core/outcome-plan.js';
import { type Fault } from '../core/fault.js';
import { SANDBOX_OPERATIONS, type SandboxOperation } from '../core/operation-name.js';
import { operationsThatMake } from '../core/operations.js';
import { type RefusalCode } from '../core/refusal.js';

/** It answers, or fails after processing: a planned fault needs an answer that it can spoil. */
export type ScenarioFault = Exclude<Fault, { readonly kind: 'dropBefore' }>;

/** The effect of the last four digits of a phone or account number. */
export interface Scenario {
  readonly ending: string;
  readonly operations: readonly SandboxOperation[];
  /** The text in `docs/sandbox.md`. */
  readonly description: string;
  readonly plan: OutcomePlan;
  readonly refusal?: RefusalCode;
  readonly fault?: ScenarioFault;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const COLLECT = operationsThatMake('collection');
const PAY_OUT = operationsThatMake('payout');
const READ = operationsThatMake(undefined);
const TO_BANK = ['POST /disbursements/bank'] as const;
const TO_PHONE = ['POST /disbursements/mobile-money'] as const;
const LOOK_UP = ['POST /disbursements/name-lookup'] as const;

const DROP: ScenarioFault = { kind: 'dropAfterProcessing' };
const DROPPED = 'the connection is dropped instead of an answer';

/** All magic numbers. An ending may have one meaning for collections and another for payouts. */
export const SCENARIOS: readonly Scenario[] = [
  plays('0001', COLLECT, 'approved after 2 s: `success`', soon('success')),
  plays(
    '0002',
    COLLECT,
    '`processing` after 2 s, `success` after 30 s',
    plan([...soon('processing').transitions, { afterMs: 30 * SECOND, to: 'success' }]),
  ),
  plays('0003', COLLECT, 'cancelled by the customer after 2 s: `cancelled`', soon('cancelled')),
  plays('0004', COLLECT, 'fails after 2 s (not enough money): `failed`', soon('failed')),
  plays('0005', COLLECT, 'never answered: `expired` when its time is up, with `auto` too', plan([])),
  plays('0006', COLLECT, 'stuck: `pending` forever, no webhook', { ...plan([]), expires: false }),
  plays('0007', COLLECT, 'approved after 2 s, its webhook delivered twice', soon('success', { copies: 2 })),
  plays(
    '0008',
    COLLECT,
    'approved at once: the webhook comes before the HTTP answer, which still says `pending`',
    { ...ending(0, 'success'), beforeAnswer: true },
  ),
  plays(
    '0009',
    COLLECT,
    'approved after 2 s, the first three deliveries lost, then redelivered by the schedule',
    soon('success', { lost: 3 }),
  ),
  plays(
    '0010',
    COLLECT,
    'approved after 2 s, a forged signature first, then the right one',
    soon('success', { forgedFirst: true }),
  ),
  plays('0001', PAY_OUT, 'paid after 2 s: `paid`', soon('paid')),
  plays('0002', PAY_OUT, 'slow: `paid` after 10 min', ending(10 * MINUTE, 'paid')),
  plays('0003', PAY_OUT, 'fails after 2 s and the locked money returns: `failed`', soon('failed')),
  plays('0004', PAY_OUT, 'cancelled after 2 s and the locked money returns: `cancelled`', soon('cancelled')),
  plays('0005', PAY_OUT, 'stuck: `processing` forever, the money stays locked', plan([])),
  refuses('0404', LOOK_UP, 'ACCOUNT_NOT_FOUND'),
  refuses('0404', TO_BANK, 'INVALID_ACCOUNT'),
  refuses('0406', TO_BANK, 'ACCOUNT_NAME_MISMATCH'),
  refuses('0410', LOOK_UP, 'INVALID_BANK_CODE'),
  refuses('0410', TO_BANK, 'INVALID_BANK'),
  refuses('0422', TO_PHONE, 'INVALID_PHONE'),
  refuses('0502', PAY_OUT, 'PROVIDER_ERROR'),
  fails('0429', SANDBOX_OPERATIONS, '429 with `Retry-After: 2` and a `message` alone, every time', {
    kind: 'status',
    status: 429,
    options: { retryAfter: 2 },
  }),
  fails('0500', SANDBOX_OPERATIONS, '500 as an HTML page, not processed', { kind: 'html', status: 500 }),
  fails('0504', COLLECT, `accepted, but ${DROPPED}; approved after 2 s`, DROP, soon('success')),
  fails('0504', PAY_OUT, `accepted, but ${DROPPED}; paid after 2 s`, DROP, soon('paid')),
  fails('0504', READ, DROPPED, DROP),
];

/** The scenarios of an operation. */
export function scenariosOf(operation: SandboxOperation): readonly Scenario[] {
  return SCENARIOS.filter(({ operations }) => operations.includes(operation));
}

export function findScenario(operation: SandboxOperation, code: string): Scenario | undefined {
  return scenariosOf(operation).find((scenario) => scenario.ending === code);
}

function plays(
  ending: string,
  operations: readonly SandboxOperation[],
  description: string,
  plan: OutcomePlan,
): Scenario {
  return { ending, operations, description, plan };
}

function refuses(ending: string, operations: readonly SandboxOperation[], refusal: RefusalCode): Scenario {
  return { ending, operations, description: `refused: \`${refusal}\``, plan: WAITING, refusal };
}

function fails(
  ending: string,
  operations: readonly SandboxOperation[],
  description: string,
  fault: ScenarioFault,
  plan = WAITING,
): Scenario {
  return { ending, operations, description, plan, fault };
}

function plan(
  transitions: readonly ScheduledTransition[],
  delivery: Partial<DeliveryPlan> = {},
): OutcomePlan {
  return { ...WAITING, transitions, delivery: { ...PLAIN_DELIVERY, ...delivery } };
}

function ending(
  afterMs: number,
  to: ScheduledTransition['to'],
  delivery?: Partial<DeliveryPlan>,
): OutcomePlan {
  return plan([{ afterMs, to }], delivery);
}

function soon(to: ScheduledTransition['to'], delivery?: Partial<DeliveryPlan>): OutcomePlan {
  return ending(2 * SECOND, to, delivery);
}
