import { isPaymentsError } from '../../errors/payments-errors.js';
import { milliseconds } from '../clock/duration.js';
import { type ControlHandler } from '../control/control-operations.js';
import { ControlProblem } from '../control/control-problem.js';
import { endpointHandlers } from '../control/handlers/endpoint-handlers.js';
import { faultHandlers } from '../control/handlers/fault-handlers.js';
import { moneyHandlers } from '../control/handlers/money-handlers.js';
import { balanceCents } from '../core/amounts.js';
import { type SandboxParts } from '../control/sandbox-parts.js';
import { type PathStep } from './form.js';
import { type SandboxWorld, type SandboxWorldMerchant, type SandboxWorldWebhook } from './sandbox-world.js';
import { WorldError } from './world-error.js';
import { type EarlierMoney, makeMoney } from './world-money.js';

type Path = readonly PathStep[];

/** Enough for every payout before the balance is set. */
const PLENTY_CENTS = 10n ** 17n;

/**
 * Lets an emulator without state begin with a world, through the operations that its control API has. Payments are
 * made before the webhook addresses are known, so nothing is delivered.
 *
 * @throws WorldError that names the first part that the emulator refuses.
 */
export async function beginWorld(parts: SandboxParts, world: SandboxWorld, auto: boolean): Promise<void> {
  const { banks, directory, faults = [], frozen, merchants = {}, webhooks } = world;
  const money = moneyHandlers(parts);
  if (banks) await attempt(['banks'], () => perform(money.replaceBanks, { items: banks }));
  if (directory) await registerNames(parts, directory);
  for (const [name, merchant] of Object.entries(merchants)) await beginMerchant(parts, name, merchant);
  await makeHistory(parts, world, auto);
  for (const [name, { balance }] of Object.entries(merchants)) {
    if (balance !== undefined) hold(parts, name, balanceCents(balance) ?? 0n);
  }
  await addWebhooks(parts, webhooks, ['webhooks']);
  for (const [name, merchant] of Object.entries(merchants))
    await addWebhooks(parts, merchant.webhooks, ['merchants', name, 'webhooks'], name);
  for (const [index, fault] of faults.entries())
    await attempt(['faults', index], () => perform(faultHandlers(parts).addFault, fault));
  if (frozen) parts.clock.freeze();
}

async function beginMerchant(
  parts: SandboxParts,
  name: string,
  { balance, directory }: SandboxWorldMerchant,
): Promise<void> {
  parts.gateway.merchant(name);
  if (balance !== undefined) hold(parts, name, PLENTY_CENTS);
  if (directory) await registerNames(parts, directory, name);
}

function hold({ gateway }: SandboxParts, merchant: string, cents: bigint): void {
  gateway.changeWallet(merchant, (wallet) => {
    wallet.hold(cents);
  });
}

async function registerNames(
  parts: SandboxParts,
  directory: Readonly<Record<string, string | null>>,
  merchant?: string,
): Promise<void> {
  const items = Object.entries(directory).map(([account_number, account_name]) => ({
    account_number,
    account_name,
  }));
  await perform(moneyHandlers(parts).replaceDirectory, {
    items,
    ...(merchant !== undefined && { merchant }),
  });
}

async function addWebhooks(
  parts: SandboxParts,
  webhooks: readonly SandboxWorldWebhook[] = [],
  path: Path,
  merchant?: string,
): Promise<void> {
  const { secret } = parts.endpoints.settings;
  for (const [index, webhook] of webhooks.entries()) {
    const body = { secret, ...webhook, ...(merchant !== undefined && { merchant }) };
    await attempt([...path, index], () => perform(endpointHandlers(parts).addEndpoint, body));
  }
}

/** Goes back to the oldest payment or payout, and lets time pass until the start. */
async function makeHistory(parts: SandboxParts, world: SandboxWorld, auto: boolean): Promise<void> {
  const { clock } = parts;
  const { kind } = clock;
  const oldestFirst = moneyIn(world).sort((left, right) => right.ageMs - left.ageMs);
  const ahead = world.now === undefined ? 0 : Date.parse(world.now) - clock.now();
  let age = oldestFirst[0]?.ageMs ?? 0;
  clock.restore({ kind, skew: ahead - age });
  for (const money of oldestFirst) {
    if (age > money.ageMs) await clock.pass(age - money.ageMs);
    age = money.ageMs;
    await attempt(money.path, () => makeMoney(parts, money, auto));
  }
  await clock.pass(age);
  clock.restore({ kind, skew: ahead });
  for (const money of oldestFirst) assertStatus(parts, money);
}

function moneyIn({ merchants = {} }: SandboxWorld): EarlierMoney[] {
  return Object.entries(merchants).flatMap(([merchant, { payments = [], payouts = [] }]) => [
    ...payments.map((payment, index): EarlierMoney => {
      const path = ['merchants', merchant, 'payments', index];
      return { family: 'payment', merchant, path, given: payment, ageMs: milliseconds(payment.age ?? 0) };
    }),
    ...payouts.map((payout, index): EarlierMoney => {
      const path = ['merchants', merchant, 'payouts', index];
      return { family: 'payout', merchant, path, given: payout, ageMs: milliseconds(payout.age ?? 0) };
    }),
  ]);
}

/** An old payment expires unless somebody decided it. */
function assertStatus({ gateway }: SandboxParts, { family, merchant, path, given }: EarlierMoney): void {
  const { collections, payouts } = gateway.merchant(merchant);
  const found = (family === 'payment' ? collections : payouts).get(given.reference);
  if (given.status === undefined || found?.status === given.status) return;
  const message = `cannot be ${given.status} at this age: it is ${found?.status ?? 'gone'} by then. Write a shorter age, or a longer expireAfter`;
  throw new WorldError([{ path: [...path, 'status'], message }]);
}

async function perform(handler: ControlHandler, body: object): Promise<void> {
  await handler({ subject: '', query: new Map(), body: body as Readonly<Record<string, unknown>> });
}

async function attempt(path: Path, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof WorldError || !(error instanceof ControlProblem || isPaymentsError(error)))
      throw error;
    throw new WorldError([{ path, message: `is refused: ${error.message}` }]);
  }
}
