import { addMoney } from '../../common/money.js';
import { printable } from '../../common/printable.js';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** An amount for people, exact however large it is: `1,180.50`. */
export function grouped(amount: string): string {
  return addMoney(amount).replace(/\B(?=(?:\d{3})+\.)/g, ',');
}

/** What an amount adds to a sum: `+1,180.50`, `-20.00` or `0.00`. */
export function signed(amount: string): string {
  const text = grouped(amount);
  return text === '0.00' || text.startsWith('-') ? text : `+${text}`;
}

/** The amount that takes another one away. */
export function negated(amount: string): string {
  const canonical = addMoney(amount);
  if (canonical === '0.00') return canonical;
  return canonical.startsWith('-') ? canonical.slice(1) : `-${canonical}`;
}

/** `1 payment`, `1,204 payments`. */
export function counted(count: number, word: string): string {
  return `${countText(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** `1,204`. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Writes a moment as the clocks of a time zone show it: `2026-11-20 23:59:58`. */
export type AtClock = (moment: Date) => string;

/** The clocks of a time zone. Making them costs much more than reading them. */
export function clocksOf(timeZone: string): AtClock {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
    return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')}`;
  };
}

/** The two largest units of an age: `2 days 3 hours`. */
export function ageText(ageMs: number): string {
  let rest = Math.max(ageMs, 0);
  const words = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [counted(count, unit)];
  });
  return words.length === 0 ? 'under a minute' : words.slice(0, 2).join(' ');
}

/** A text from outside in one line, without what a terminal would obey. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/gu, ' ').trim());
}
