import { quoted } from '../../common/quoted.js';
import { PaymentsError } from '../../errors/payments-errors.js';
import { type ReconciledAccount } from '../reconciled-accounts.js';
import { type ClosedDay, closedDayOf, lastStoredClose } from './close-entry.js';
import { dayBounds, nextDay } from './day.js';

/** Where a day stands among the closed ones. */
export interface ClosePlace {
  readonly day: string;
  /** The end of the day before. */
  readonly from: number;
  readonly to: number;
  /** Undefined: it is the first close. */
  readonly previous: ClosedDay | undefined;
}

/**
 * Finds the place of a day that was not closed before. Only the day after the last one can be closed: each close begins
 * with what the one before left.
 *
 * @param now By the clock of the storage.
 * @throws PaymentsError with the code `DAY_NOT_OVER`, `DAY_NOT_NEXT` or `DAY_OTHER_ZONE`.
 */
export async function placeOf(
  account: Pick<ReconciledAccount, 'store' | 'scope'>,
  day: string,
  timeZone: string,
  now: number,
): Promise<ClosePlace> {
  const bounds = dayBounds(day, timeZone);
  if (now < bounds.to) {
    throw new PaymentsError(
      'DAY_NOT_OVER',
      `Nothing was closed: ${day} ends at ${new Date(bounds.to).toISOString()}. Close it after that.`,
    );
  }
  const last = await lastStoredClose(account);
  if (!last) return { day, ...bounds, previous: undefined };
  const previous = closedDayOf(last);
  const { summary } = previous;
  if (summary.timeZone !== timeZone) {
    throw new PaymentsError(
      'DAY_OTHER_ZONE',
      `Nothing was closed: the days before were closed in the time zone ${quoted(summary.timeZone)}, and ${quoted(timeZone)} would leave out a part of a day or count it twice. Write the same time zone.`,
    );
  }
  const next = nextDay(summary.day);
  if (day !== next) {
    throw new PaymentsError(
      'DAY_NOT_NEXT',
      `Nothing was closed: ${summary.day} was closed last, so ${next} comes next. Close the days in their order.`,
    );
  }
  return { day, from: summary.to.getTime(), to: bounds.to, previous };
}
