import { type Slot } from './plan.js';

/** What the journal says about a payment. */
export interface JournalView {
  readonly state: string;
  readonly outcome?: string | undefined;
  readonly settledBy?: string | undefined;
  /** The gateway has shown that it has it: in an answer to its call, or otherwise. */
  readonly answer?: string | undefined;
  readonly acknowledged?: boolean | undefined;
  readonly amount: string;
  readonly operation: string;
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly plannedAt?: number | undefined;
}

/** Whether another attempt may follow: the gateway refused it, or an operator says that it never took what it never showed. */
export function isFreed({ state, outcome, settledBy, answer, acknowledged }: JournalView): boolean {
  if (state === 'rejected') return true;
  const isCalledFailed = state === 'settled' && outcome === 'failed' && settledBy === 'operator';
  return isCalledFailed && answer === undefined && acknowledged !== true;
}

/** Every reference of a story. */
export const SLOTS: readonly Slot[] = (['collection', 'disbursement'] as const).flatMap((family) =>
  (['first', 'second'] as const).map((reference) => ({ family, reference })),
);

/** Where the merchant's journal keeps its payments. */
export const SCOPE = { account: 'default', environment: 'sandbox' } as const;

export interface SlotKey extends Slot {
  readonly account: typeof SCOPE.account;
  readonly environment: typeof SCOPE.environment;
}

export function keyOf({ family, reference }: Slot): SlotKey {
  return { ...SCOPE, family, reference };
}
