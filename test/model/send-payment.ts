import { type MoneyOperation } from 'nestjs-payments';
import { type EnlistedPayment } from 'nestjs-payments';
import { MONEY_CALLS, MONEY_ENLISTMENTS } from '../support/operation-calls.js';
import { type MerchantProcess } from './merchant-process.js';
import { type Family, type PlannedCall } from './plan.js';

/** Every operation that moves money in a family: a new one is in the stories at once. */
export function operationsOf(family: Family): readonly MoneyOperation[] {
  return (Object.keys(MONEY_CALLS) as MoneyOperation[]).filter((name) => name.startsWith(`${family}.`));
}

export function operationOf({ family, channel }: PlannedCall): MoneyOperation {
  const operation = operationsOf(family)[channel];
  if (operation === undefined) throw new Error(`A ${family} has no operation ${channel}`);
  return operation;
}

/** Leaves no second for a further try. */
const SHORT_MS = 1_000;

/** Makes a planned call through the package's public face. */
export function sendPayment(
  call: PlannedCall,
  services: Pick<MerchantProcess, 'collections' | 'disbursements'>,
  signal: AbortSignal,
): Promise<{ reference: string; amount: string }> {
  const { family, reference, amount, options } = call;
  return MONEY_CALLS[operationOf(call)](
    services,
    { reference, amount },
    {
      signal,
      ...(options === 'once' && { retry: false as const }),
      ...(options === 'short' && { deadlineMs: SHORT_MS }),
      ...(options === 'own key' && { idempotencyKey: `own-${family}-${reference}` }),
      ...(options === 'attempt 2' && { attempt: 2 }),
    },
  );
}

/** Enlists a planned call in a transaction, through the package's public face. */
export function enlistPayment(
  call: PlannedCall,
  services: Pick<MerchantProcess, 'collections' | 'disbursements'>,
  transaction: unknown,
): Promise<EnlistedPayment<{ reference: string; amount: string }>> {
  const { family, reference, amount, options } = call;
  return MONEY_ENLISTMENTS[operationOf(call)](
    services,
    transaction,
    { reference, amount },
    {
      ...(options === 'own key' && { idempotencyKey: `own-${family}-${reference}` }),
      ...(options === 'attempt 2' && { attempt: 2 }),
    },
  );
}
