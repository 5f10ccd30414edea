import { plainCell } from '../../common/csv-row.js';
import { LIMIT_CENTS } from '../../common/money.js';
import { instantsIn } from './local-time.js';

/** What a cell says, or what is wrong with it: the problem is for people, and repeats nothing of the cell. */
export type CellValue<T> = { readonly value: T } | { readonly problem: string };

/** How amounts are written. */
export interface AmountFormat {
  readonly decimal: '.' | ',';
  readonly thousands: ',' | '.' | ' ' | "'" | undefined;
}

/** How times are written. */
export interface TimeFormat {
  readonly dateFormat: 'DD/MM/YYYY' | 'MM/DD/YYYY' | undefined;
  readonly timeZone: string | undefined;
}

/** What a spreadsheet makes of a long number: `2.55713E+11`. Without a plus, a short one may be the merchant's own: `7E12`. */
const ROUNDED = /^[-+]?\d(?:(?:[.,]\d+)?E\+|[.,]\d{3,}E)\d+$/i;
const BY_SPREADSHEET =
  'was rounded by a spreadsheet: take the file as the gateway wrote it, or format the column as text before';
const COMMA_FOR_THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const COMMA_FOR_DECIMALS = /^(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/;
const BLANKS_FOR_THOUSANDS = /^\d{1,3}(?: \d{3})+(?:[.,]\d+)?$/;
const POINTS_FOR_THOUSANDS = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/;
const COMMA_FOR_EITHER = /^\d{1,3},\d{3}$/;

/** What nearly every file has, and what is right whatever divides thousands. */
const USUAL = /^\d{1,13}\.\d\d$/;

/** Reads amounts as exact cents. A minus is part of an amount. */
export function amountReader(format: AmountFormat): (cell: string) => CellValue<bigint> {
  const read = anyAmountReader(format);
  if (format.decimal !== '.') return read;
  return (cell) => (USUAL.test(cell) ? { value: BigInt(cell.replace('.', '')) } : read(cell));
}

function anyAmountReader({ decimal, thousands }: AmountFormat): (cell: string) => CellValue<bigint> {
  return (cell) => {
    const text = plainBlanks(cell).replace(/^\u2212/, '-');
    const sign = /^[-+]/.exec(text)?.[0] ?? '';
    const digits = text.slice(sign.length);
    const [whole = '', fraction = '', ...more] = digits.split(decimal);
    const shillings = wholeDigits(whole, thousands);
    const isRest = more.length === 0 && /^\d*$/.test(fraction) && !digits.endsWith(decimal);
    if (shillings === undefined || !isRest) return { problem: noAmount(digits, { decimal, thousands }) };
    if (fraction.length > 2 && !/^\d\d00+$/.test(fraction)) {
      const other = decimal === '.' ? ',' : '.';
      const instead = `write thousands: '${decimal}' and decimal: '${other}' if it divides thousands`;
      return { problem: `has more than two digits behind '${decimal}': ${instead}` };
    }
    const cents = BigInt(shillings + fraction.slice(0, 2).padEnd(2, '0'));
    if (cents >= LIMIT_CENTS) return { problem: 'is too large: it must be below 10000000000000 (10^13)' };
    return { value: sign === '-' ? -cents : cents };
  };
}

/** `Intl` writes a narrow no-break space before AM and PM, and in some languages between thousands. */
function plainBlanks(cell: string): string {
  return cell.replace(/[\u00a0\u202f]/g, ' ');
}

/** Digits alone; undefined for what is no whole number, or has separators in other places than between thousands. */
function wholeDigits(text: string, thousands: AmountFormat['thousands']): string | undefined {
  const [first = '', ...groups] = thousands === undefined ? [text] : text.split(thousands);
  const isGrouped = first.length <= 3 && groups.every((group) => /^\d{3}$/.test(group));
  return /^\d+$/.test(first) && (groups.length === 0 || isGrouped) ? first + groups.join('') : undefined;
}

function noAmount(text: string, { decimal, thousands }: AmountFormat): string {
  if (text === '') return 'is empty: every row needs an amount';
  if (ROUNDED.test(text)) return BY_SPREADSHEET;
  const hint = thousands === undefined ? thousandsHint(text, decimal) : undefined;
  if (hint !== undefined) return hint;
  const example = `1${thousands ?? ''}180${decimal}50`;
  return `is no amount: it must be a number such as ${example}, without a currency or other signs`;
}

/** How amounts of other formats are read; undefined for what is none. */
function thousandsHint(text: string, decimal: AmountFormat['decimal']): string | undefined {
  const comma = decimal === '.' ? " and decimal: ','" : '';
  if (BLANKS_FOR_THOUSANDS.test(text)) {
    return `has blanks between thousands: write thousands: ' '${text.includes(',') ? comma : ''}`;
  }
  if (decimal === '.') {
    if (COMMA_FOR_EITHER.test(text)) {
      return "has a comma: write thousands: ',' if it divides thousands, or decimal: ',' if decimals follow it";
    }
    if (COMMA_FOR_DECIMALS.test(text)) {
      return `has a decimal comma: write decimal: ','${text.includes('.') ? " and thousands: '.'" : ''}`;
    }
    if (COMMA_FOR_THOUSANDS.test(text)) return "has commas between thousands: write thousands: ','";
  }
  return POINTS_FOR_THOUSANDS.test(text)
    ? `has points between thousands: write thousands: '.'${comma}`
    : undefined;
}

const CLOCK = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([AP])\.?M\.?)?$/i;
const YEAR_FIRST = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]+|$)/;
const YEAR_LAST = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:,? +|T|$)/;
const ZONE = / ?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/i;
const NO_TIME = 'is no time: it must be one such as 2026-11-20 14:05:09 or 2026-11-20T14:05:09+03:00';

/** Reads times: of a certain zone if a time names one, and of the option's zone otherwise. */
export function timeReader({ dateFormat, timeZone }: TimeFormat): (cell: string) => CellValue<Date> {
  const instant = timeZone === undefined ? undefined : instantsIn(timeZone);
  return (cell) => {
    const text = plainBlanks(cell);
    const zone = zoneOf(text);
    const local = localTime(zone ? text.slice(0, zone.index) : text, dateFormat);
    if (typeof local === 'string') return { problem: local };
    if (zone) {
      const [, sign = '+', hours = '0', minutes = '0'] = zone;
      if (Number(hours) > 14 || Number(minutes) > 59) return { problem: NO_TIME };
      const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
      return { value: new Date(sign === '-' ? local + offset : local - offset) };
    }
    if (!instant)
      return { problem: "names no time zone: write for example timeZone: 'Africa/Dar_es_Salaam'" };
    const time = instant(local);
    if (time !== undefined) return { value: new Date(time) };
    return {
      problem: 'does not exist in the time zone, because the clocks were set forward: check timeZone',
    };
  };
}

/** A zone follows the time of day: `20-11-2026` ends with a year, and `2026-11-20` with a day. */
function zoneOf(cell: string): RegExpExecArray | undefined {
  const zone = ZONE.exec(cell);
  return zone && cell.lastIndexOf(':', zone.index) >= 0 ? zone : undefined;
}

/** As if it were UTC, or the problem. */
function localTime(text: string, dateFormat: TimeFormat['dateFormat']): number | string {
  const found = YEAR_FIRST.exec(text) ?? YEAR_LAST.exec(text);
  if (!found) return NO_TIME;
  const [begin = '', first = '', second = '', third = ''] = found;
  const isYearFirst = first.length === 4;
  if (!isYearFirst && dateFormat === undefined) {
    return "begins with a day or a month: write dateFormat: 'DD/MM/YYYY' or dateFormat: 'MM/DD/YYYY'";
  }
  const day = isYearFirst
    ? midnight(first, second, third)
    : midnight(
        third,
        ...(dateFormat === 'DD/MM/YYYY' ? ([second, first] as const) : ([first, second] as const)),
      );
  if (day === undefined) return 'is of a day that is not in the calendar: check dateFormat';
  const clock = text.slice(begin.length);
  if (clock === '') return 'has no time of day: it must be one such as 2026-11-20 14:05:09';
  const time = timeOfDay(clock);
  return time === undefined ? NO_TIME : day + time;
}

/** In UTC; undefined for a day that does not exist. Other centuries are slips of the finger. */
function midnight(year: string, month: string, day: string): number | undefined {
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(time);
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return exists && year.startsWith('2') ? time : undefined;
}

/** In milliseconds; undefined for what is none. */
function timeOfDay(clock: string): number | undefined {
  const [, given, minute, second = '0', fraction = '', half] = CLOCK.exec(clock) ?? [];
  const hour = given === undefined ? undefined : hourOf(Number(given), half);
  if (hour === undefined || hour > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = (hour * 60 + Number(minute)) * 60 + Number(second);
  return seconds * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** Of 24 hours. A clock of 12 hours shows 12 in place of 0. */
function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
}

/** Reads a reference or the number of a recipient as it was before a spreadsheet had it. */
export function textOf(cell: string): CellValue<string | undefined> {
  if (cell.startsWith('=')) {
    return { problem: 'is a formula: save the file with values, or write an apostrophe before the formula' };
  }
  if (ROUNDED.test(cell)) return { problem: BY_SPREADSHEET };
  return { value: plainCell(cell) || undefined };
}

/** A word whatever its case and blanks. */
export function sameWord(word: string): string {
  return word.trim().replace(/\s+/g, ' ').toLowerCase();
}
