import { amountProblem, formatCents, parseCents } from '../../common/money.js';

/** Cents of an amount that fits the OpenAPI document: a number or a plain decimal string below 10^13. */
export function centsOf(amount: number | string): bigint {
  if (typeof amount === 'number') return BigInt(Math.round(amount * 100));
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** What a balance or a fee must be, as the rest of a sentence. */
export const BALANCE_RULE = 'must be an amount of TZS from 0 on, below 10000000000000 (10^13)';

/** Cents of a balance or a fee, which may be 0 and is an amount of TZS otherwise. Undefined for anything else. */
export function balanceCents(written: unknown): bigint | undefined {
  if (amountProblem(written) === undefined) return parseCents(String(written));
  const isZero =
    ['string', 'number', 'bigint'].includes(typeof written) && parseCents(String(written)) === 0n;
  return isZero ? 0n : undefined;
}

/** Cents as the JSON number that the gateway shows for fees and balances. */
export function centsAsNumber(cents: bigint): number {
  return Number(formatCents(cents));
}

/** The emulator's fees. The specification shows that fees exist, but no figures. */
export interface FeeRules {
  /** Hundredths of a per cent of a collection's amount. */
  readonly collectionBasisPoints: bigint;
  /** Cents for each payout, whatever its amount. */
  readonly payoutCents: bigint;
}

/** Rounded to the nearest cent, halves up. */
export function collectionFee(amountCents: bigint, { collectionBasisPoints }: FeeRules): bigint {
  return (amountCents * collectionBasisPoints + 5_000n) / 10_000n;
}
