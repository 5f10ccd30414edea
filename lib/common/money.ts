/**
 * An amount of TZS as an application may write it: a decimal string, a number, or whole shillings as a bigint.
 * Greater than 0, at most two decimals, below 10^13.
 *
 * @publicApi
 */
export type MoneyInput = string | number | bigint;

const PLAIN_DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d{1,2})?$/;
/** What is not negative and has two decimals is written as `formatCents` would write it. */
const CANONICAL = /^(?:0|[1-9]\d*)\.\d\d$/;
/** A decimal column of a database often writes four places: `1180.5000` is still exact. */
const SURPLUS_ZEROS = /(\.\d\d)0+$/;
/** The digits of `-0`. */
const NEGATIVE_ZERO = '-000';
/** 10^13 shillings. Amounts are smaller, and sums of them are exact. */
export const LIMIT_CENTS = 10n ** 15n;
const FIRST_INEXACT = 1e13;
/**
 * How far a server's sum in floating point may be from the amount that it means, as a share of it: two to four units of a double's last
 * place. Below 10^13 that is less than half a cent.
 */
const ROUNDING_ERROR = 2 ** -51;

/** Reads a plain decimal (`"1180.5"`) as exact cents; undefined for anything else. */
export function parseCents(text: string): bigint | undefined {
  const digits = centDigits(text);
  return digits === undefined ? undefined : BigInt(digits);
}

/** The same as a number, which is exact below 2^53 cents. */
export function parseCentsAsNumber(text: string): number | undefined {
  const digits = centDigits(text);
  // -0 would be written and compared otherwise than 0.
  return digits === undefined ? undefined : Number(digits) + 0;
}

function centDigits(text: string): string | undefined {
  if (CANONICAL.test(text)) return text.slice(0, -3) + text.slice(-2);
  if (!PLAIN_DECIMAL.test(text)) return undefined;
  const point = text.indexOf('.');
  return point === -1 ? `${text}00` : text.slice(0, point) + text.slice(point + 1).padEnd(2, '0');
}

/** A plain decimal as `formatCents` would write it; undefined for anything else. */
function moneyText(text: string): string | undefined {
  if (CANONICAL.test(text)) return text;
  const digits = centDigits(text);
  if (digits === undefined) return undefined;
  return digits === NEGATIVE_ZERO ? '0.00' : `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Writes cents as the canonical money string: exactly two decimals (`118050n` is `"1180.50"`). */
export function formatCents(cents: bigint): string {
  const [sign, size] = cents < 0n ? ['-', -cents] : ['', cents];
  const digits = size.toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * Says what is wrong with an amount that the application wrote, or undefined when it is fine.
 * A number is judged by its shortest decimal text, so `0.1 + 0.2` is refused instead of rounded.
 */
export function amountProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    return 'must be an amount of TZS: write a string such as "1180.50", a number or a bigint';
  }
  const cents = parseCents(String(value));
  if (cents === undefined) {
    return 'must be a plain decimal with at most two decimals, without separators or exponent: write "1180.50"';
  }
  if (cents <= 0n) return 'must be greater than 0: the smallest amount is "0.01"';
  if (cents >= LIMIT_CENTS) return 'must be below 10000000000000 (10^13)';
  return undefined;
}

/**
 * The canonical money string of an amount that `amountProblem` found fine.
 *
 * @throws RangeError if it is not fine.
 */
export function canonicalAmount(value: MoneyInput): string {
  if (amountProblem(value) !== undefined) throw new RangeError('not an amount of money');
  return moneyText(String(value)) as string;
}

/**
 * The canonical money string of a value from the wire, in which decimals are strings or JSON numbers
 * (specification, "Resources and their fields"). A JSON number such as 1156.8999999999999 is a server's sum in floating
 * point, and is read as the amount that it means. Undefined if cents could be lost.
 */
export function moneyFromWire(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  // From 10^13 on a JSON number no longer holds every cent.
  if (typeof value === 'number' && Math.abs(value) >= FIRST_INEXACT) return undefined;
  const text = String(value);
  return (
    moneyText(text) ??
    (typeof value === 'number' ? roundedMoney(value) : moneyText(text.trim().replace(SURPLUS_ZEROS, '$1')))
  );
}

function roundedMoney(value: number): string | undefined {
  const nearest = value.toFixed(2);
  const isMeant = Math.abs(value - Number(nearest)) <= Math.abs(value) * ROUNDING_ERROR;
  return isMeant ? moneyText(nearest) : undefined;
}

/** Any exact amount, 0 and negative ones included: a balance may be either. */
function centsOf(amount: MoneyInput): bigint {
  const cents = parseCents(String(amount));
  if (cents !== undefined) return cents;
  throw new RangeError(
    'An amount of money must be a plain decimal with at most two decimals, without separators or exponent: write "1180.50".',
  );
}

/**
 * The exact sum of amounts as a two-decimal string; `"0.00"` of none. An amount may be negative, so that this
 * subtracts too.
 *
 * @throws RangeError if an amount is no plain decimal with at most two decimals, as the result of
 * `0.1 + 0.2` is none.
 *
 * @example
 * ```ts
 * addMoney(payout.amount, '1500'); // '251500.00'
 * addMoney(wallet.available_balance, '-5000'); // what is left
 * addMoney(...payments.map(({ amount }) => amount));
 * if (payout.fee !== undefined) addMoney(payout.amount, payout.fee); // an answer may leave out the fee
 * ```
 *
 * @publicApi
 */
export function addMoney(...amounts: readonly MoneyInput[]): string {
  return formatCents(amounts.reduce((sum: bigint, amount) => sum + centsOf(amount), 0n));
}

/**
 * Which of two amounts is larger, exactly: -1, 0 or 1, as `Array.prototype.sort` takes it. Compared as text,
 * `"900.00"` would be more than `"1000.00"`.
 *
 * @throws RangeError if an amount is no plain decimal with at most two decimals.
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
 * An amount of TZS for people to read, exact however large it is: `TSh 1,180.50`; whole shillings have
 * no cents. How it looks is up to the locale data of Node.js, so show it and neither store nor compare it.
 *
 * @param locale A BCP 47 tag, for example `'en-TZ'`. @default 'sw-TZ'
 * @throws RangeError if the amount is no plain decimal with at most two decimals, or the locale is no such tag.
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
