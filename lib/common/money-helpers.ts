import { formatCents, type MoneyInput, parseCents } from './money.js';

/** Any exact amount, 0 and negative ones included: a balance may be either. */
function centsOf(amount: MoneyInput): bigint {
  const cents = parseCents(String(amount));
  if (cents !== undefined) return cents;
  throw new RangeError(
    'An amount of money must be a plain decimal with at most two decimals, without separators or exponent: write "1180.50".',
  );
}

/**
 * The exact sum of amounts as a two-decimal string; `"0.00"` of none. An amount may be negative, so that this subtracts too.
 *
 * @throws RangeError where an amount is no plain decimal with at most two decimals, as the result of `0.1 + 0.2` is none.
 *
 * @example
 * ```ts
 * addMoney(payout.amount, payout.fee); // '251500.00'
 * addMoney(wallet.available_balance, '-5000'); // what is left
 * addMoney(...payments.map(({ net_amount }) => net_amount));
 * ```
 *
 * @publicApi
 */
export function addMoney(...amounts: readonly MoneyInput[]): string {
  return formatCents(amounts.reduce((sum: bigint, amount) => sum + centsOf(amount), 0n));
}

/**
 * Which of two amounts is larger, exactly: -1, 0 or 1, as `Array.prototype.sort` takes it. Compared as text, `"900.00"` would be
 * more than `"1000.00"`.
 *
 * @throws RangeError where an amount is no plain decimal with at most two decimals.
 *
 * @example
 * ```ts
 * if (compareMoney(wallet.available_balance, total) < 0) throw new ConflictException('Top up the wallet first.');
 * ```
 *
 * @publicApi
 */
export function compareMoney(left: MoneyInput, right: MoneyInput): -1 | 0 | 1 {
  const difference = centsOf(left) - centsOf(right);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/**
 * An amount of TZS for people to read, exact however large it is: `TSh 1,180.50`; whole shillings stand without cents. How it looks is up to the
 * locale data of Node.js, so show it and neither store nor compare it.
 *
 * @param locale A BCP 47 tag, for example `'en-TZ'`. @default 'sw-TZ'
 * @throws RangeError where the amount is no plain decimal with at most two decimals, or the locale is no such tag.
 *
 * @example
 * ```ts
 * formatTzs('1180.50'); // 'TSh 1,180.50'
 * formatTzs('250000.00', 'en'); // 'TZS 250,000'
 * ```
 *
 * @publicApi
 */
export function formatTzs(amount: MoneyInput, locale = 'sw-TZ'): string {
  const cents = centsOf(amount);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'TZS',
    minimumFractionDigits: cents % 100n === 0n ? 0 : 2,
  });
  return format.format(formatCents(cents) as Intl.StringNumericLiteral);
}
