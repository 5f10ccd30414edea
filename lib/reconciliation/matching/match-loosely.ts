import { loosePairs, type LoosePayment, type LooseRow } from './loose-pairs.js';
import { familyOf } from './finding.js';
import { type StatementMatch } from './match-statement.js';
import { type AccountJournalReader, type UnknownRow } from './open-rows.js';
import { type JournalPayments } from './journal-payments.js';
import { comparable, recipientOf } from './recipient.js';

/**
 * Gives rows without a reference to the payments that they fit, and returns the others.
 *
 * @param eachPayment Is called after each payment that was read, to show that the run is alive.
 */
export async function matchLoosely(
  match: StatementMatch,
  unknown: readonly UnknownRow[],
  account: AccountJournalReader & { readonly payments: JournalPayments },
  withinMs: number,
  eachPayment: () => Promise<void> | undefined,
): Promise<readonly UnknownRow[]> {
  // A row with another reference belongs to another payment, and one that failed proves nothing of a payment that it does not name.
  const [rows, others] = parted(unknown, ({ given, money }) => !given.reference && !money.isFailed);
  const loose = rows.map(looseRow);
  const amounts = new Set(loose.map(({ family, cents }) => `${family} ${cents}`));
  const places: number[] = [];
  for (let place = 0; place < account.payments.size; place += 1) {
    if (match.hasRow(place)) continue;
    const { state, family, cents } = account.payments.at(place);
    if (state !== 'none' && amounts.has(`${family} ${cents}`)) places.push(place);
  }
  const payments: LoosePayment[] = [];
  for (const place of places) {
    payments.push(await loosePayment(account, place));
    await eachPayment();
  }
  const pairs = loosePairs(loose, payments, withinMs);
  const left = rows.filter((row, index) => {
    const place = places[pairs[index] ?? -1];
    if (place !== undefined) match.matchPlace(place, row.money, true);
    return place === undefined;
  });
  return [...others, ...left];
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function looseRow({ given, money }: UnknownRow): LooseRow {
  const { recipient } = given;
  const { cents, at } = money;
  return {
    family: familyOf(given),
    cents,
    at,
    recipient: recipient === undefined ? undefined : comparable(recipient),
  };
}

async function loosePayment(
  { payments, journal, scope }: AccountJournalReader & { readonly payments: JournalPayments },
  place: number,
): Promise<LoosePayment> {
  const { family, reference, cents, begunAt } = payments.at(place);
  const stored = await journal.get({ ...scope, family, reference });
  const recipient = stored && stored.damaged === undefined ? recipientOf(stored.record) : undefined;
  return { family, cents, begunAt, recipient };
}
