import { canonicalAmount } from '../../common/money.js';
import { isRefusal } from '../core/gateway-answer.js';
import { type Collection } from '../core/collection.js';
import { type Merchant } from '../core/merchant.js';
import { type SandboxOperation } from '../core/operation-name.js';
import { OPERATIONS } from '../core/operations.js';
import { type OutcomePlan, WAITING } from '../core/outcome-plan.js';
import { networkOf } from '../core/recipients.js';
import { isFinal } from '../core/status-machine.js';
import { fieldErrors } from '../openapi/request-validation.js';
import { type SandboxParts } from '../control/sandbox-parts.js';
import { chooseRule } from '../scenarios/choose-rule.js';
import { type PathStep } from './form.js';
import { type SandboxWorldPayment, type SandboxWorldPayout } from './sandbox-world.js';
import { WorldError } from './world-error.js';

/** A payment or payout that exists before the start. */
export type EarlierMoney = {
  readonly merchant: string;
  readonly path: readonly PathStep[];
  /** How long before the start it was accepted. */
  readonly ageMs: number;
} & (
  | { readonly family: 'payment'; readonly given: SandboxWorldPayment }
  | { readonly family: 'payout'; readonly given: SandboxWorldPayout }
);

/** A call that the gateway would take. */
interface EarlierCall {
  readonly operation: SandboxOperation;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whose ending decides what happens. */
  readonly number: string | undefined;
}

/**
 * Makes a payment or payout as its operation would, and gives it its status.
 *
 * @throws WorldError if the gateway would refuse it.
 */
export async function makeMoney(parts: SandboxParts, money: EarlierMoney, auto: boolean): Promise<void> {
  const merchant = parts.gateway.merchant(money.merchant);
  const call = callOf(money, merchant);
  assertFits(money, call);
  const outcome = OPERATIONS[call.operation].perform(
    { merchant, parameters: {}, body: call.body, plan: planOf(money, call, auto) },
    parts.gateway,
  );
  if (isRefusal(outcome)) {
    const message = `is refused by the gateway: ${String(outcome.body['code'])}, ${String(outcome.body['message'])}`;
    throw new WorldError([{ path: money.path, message }]);
  }
  await outcome.ready;
  const { idempotency_key: key } = money.given;
  if (key !== undefined) merchant.usedKeys.set(key, {});
  await settle(parts, merchant, money);
}

/** A status in the file leaves nothing to the number's ending. */
function planOf(
  { given, path }: EarlierMoney,
  { operation, number }: EarlierCall,
  auto: boolean,
): OutcomePlan {
  if (given.status === 'processing')
    return { ...WAITING, transitions: [{ afterMs: 0, to: 'processing' }], beforeAnswer: true };
  if (given.status !== undefined) return WAITING;
  const rule = chooseRule({ operation, fault: undefined, header: undefined, number, auto });
  if (!rule.refusal) return rule.plan;
  const message = 'has a number whose ending makes the gateway refuse it: write another number';
  throw new WorldError([{ path, message }]);
}

async function settle({ gateway }: SandboxParts, merchant: Merchant, money: EarlierMoney): Promise<void> {
  const { reference, status, reason } = money.given;
  if (status === undefined) return;
  if (money.family === 'payment') {
    const payment = merchant.collections.get(reference);
    if (payment && isFinal('collection', status))
      await gateway.collections.settle(merchant, payment, status, reason);
  } else {
    const payout = merchant.payouts.get(reference);
    if (payout && isFinal('disbursement', status)) gateway.payouts.settle(merchant, payout, status, reason);
  }
}

function callOf(money: EarlierMoney, merchant: Merchant): EarlierCall {
  if (money.family === 'payment') return paymentCall(money.given, merchant);
  const { bank_code: bank, recipient_phone: phone } = money.given;
  if ((bank === undefined) === (phone === undefined)) {
    const message = 'needs either bank_code and account_number, or recipient_phone';
    throw new WorldError([{ path: money.path, message }]);
  }
  return bank === undefined ? phonePayout(money.given, merchant) : bankPayout(money.given, merchant);
}

function paymentCall(given: SandboxWorldPayment, { directory }: Merchant): EarlierCall {
  const { reference, amount, phone, method = 'mobile_money', metadata } = given;
  const { customer_name = directory.holderOf(phone), customer_email = 'customer@example.com' } = given;
  const operations: Readonly<Record<Collection['method'], SandboxOperation>> = {
    mobile_money: 'POST /payments/mobile-money',
    partnerpesa: 'POST /payments/partnerpesa',
  };
  const fields = { phone, customer_name, customer_email };
  return {
    operation: operations[method],
    number: phone,
    body: { reference, amount: canonicalAmount(amount), currency: 'TZS', metadata, ...fields },
  };
}

function bankPayout(given: SandboxWorldPayout, { directory }: Merchant): EarlierCall {
  const { reference, amount, bank_code, account_number, metadata, remarks = reference } = given;
  const { account_name = directory.holderOf(account_number ?? '') } = given;
  const fields = { bank_code, account_number, account_name, remarks };
  return {
    operation: 'POST /disbursements/bank',
    number: account_number,
    body: { reference, amount: canonicalAmount(amount), currency: 'TZS', metadata, ...fields },
  };
}

function phonePayout(given: SandboxWorldPayout, { directory }: Merchant): EarlierCall {
  const { reference, amount, recipient_phone = '', metadata, remarks = reference } = given;
  const { recipient_name = directory.holderOf(recipient_phone), network = networkOf(recipient_phone) } =
    given;
  const fields = { recipient_phone, recipient_name, network, remarks };
  return {
    operation: 'POST /disbursements/mobile-money',
    number: recipient_phone,
    body: { reference, amount: canonicalAmount(amount), currency: 'TZS', metadata, ...fields },
  };
}

/** @throws WorldError that names every field that does not fit the gateway's document. */
function assertFits({ path }: EarlierMoney, { operation, body }: EarlierCall): void {
  const { request } = OPERATIONS[operation];
  const errors = request ? fieldErrors(request, definedIn(body)) : {};
  const problems = Object.entries(errors).map(([field, messages]) => ({
    path: [...path, field],
    message: `is refused by the gateway: ${messages.join(' ')}`,
  }));
  if (problems.length > 0) throw new WorldError(problems);
}

function definedIn(body: EarlierCall['body']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([, given]) => given !== undefined));
}
