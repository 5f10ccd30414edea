/** What is known of how one payment changes the wallet's total balance. */
export interface Movement {
  /** `in`: a collection adds its net amount. `out`: a payout takes its amount and fee. */
  readonly direction: 'in' | 'out';
  /**
   * - `moved`: the money moved once and stays.
   * - `returned`: the money is where it was before, but may have been away for some time, as that of a payout that failed after it
   *   was accepted.
   * - `none`: the money never moved.
   * - `open`: the money may have moved and may still move. A collection that came in stays; a payout that was taken may come back.
   */
  readonly state: 'moved' | 'returned' | 'none' | 'open';
  /** What moves at least, in cents: never negative. The same as `most` if the fee is known. */
  readonly least: number;
  /** What moves at most, in cents. */
  readonly most: number;
  /** It moves no earlier, in milliseconds since 1970 by the clock of the readings. */
  readonly from: number;
  /** It has moved by then, and come back if it does: never before `from`; `Infinity` while nobody knows. */
  readonly to: number;
}

/** When a balance was read: at an instant from `askedAt` to `answeredAt`, in milliseconds since 1970. */
export interface ReadingTime {
  /** Before it was asked for. */
  readonly askedAt: number;
  /** After the answer had come. */
  readonly answeredAt: number;
}

/** The time of a reading, in milliseconds. */
export function timeOf({ askedAt, answeredAt }: Readonly<Record<keyof ReadingTime, Date>>): ReadingTime {
  return { askedAt: askedAt.getTime(), answeredAt: answeredAt.getTime() };
}

/** By how much the balance changes, in cents: negative if it falls. */
interface Change {
  /** At least. */
  readonly least: number;
  /** At most. */
  readonly most: number;
}

/**
 * By how much a payment changes the balance from one reading to a later one: the narrowest interval that holds every possible
 * change. What moves within the same millisecond as a reading may be in it or not.
 *
 * @param opening The earlier reading: it was answered before the closing one was asked for.
 * @param closing The later reading.
 * @throws RangeError if the movement ends before it begins, which leaves no moment for it.
 */
export function changeOf(movement: Movement, opening: ReadingTime, closing: ReadingTime): Change {
  const { direction, state, least, most, from, to } = movement;
  if (!(from <= to)) throw new RangeError('A movement of money must not end before it begins.');
  if (state === 'none') return { least: 0, most: 0 };
  const isIn = direction === 'in';
  if (movesBetween(movement, opening, closing)) {
    return isIn ? { least, most } : { least: 0 - most, most: 0 - least };
  }
  // From here on both readings may see the same: the payment may change nothing.
  const mayComeBack = state === 'returned' || (state === 'open' && !isIn);
  const back = mayComeBack && mayBeRead(movement, opening) ? most : 0;
  const forth = mayMove(movement, opening, closing) ? most : 0;
  return isIn ? { least: 0 - back, most: forth } : { least: 0 - forth, most: back };
}

/** Whether the money certainly moves after the opening reading and before the closing one, and stays. */
export function movesBetween(
  { state, from, to }: Pick<Movement, 'state' | 'from' | 'to'>,
  opening: ReadingTime,
  closing: ReadingTime,
): boolean {
  return state === 'moved' && from > opening.answeredAt && to < closing.askedAt;
}

/** Whether the opening reading may miss what the closing one sees. */
function mayMove(movement: Movement, opening: ReadingTime, closing: ReadingTime): boolean {
  // What came back is seen only while it is away.
  if (movement.state === 'returned') return mayBeRead(movement, closing);
  return movement.from <= closing.answeredAt && movement.to >= opening.askedAt;
}

/** Whether the balance may have been read between the beginning and the end of the movement. */
function mayBeRead({ from, to }: Movement, { askedAt, answeredAt }: ReadingTime): boolean {
  return from <= answeredAt && to >= askedAt;
}
