import { type JournalState, type PaymentFamily } from '../../common/vocabulary.js';
import { type JournalPage, type StoredJournalRecord } from '../../storage/journal-store.js';
import { type ReconciledAccount } from '../accounts.js';
import { type OwnPayment, ownPayment } from '../matching/own-payment.js';
import { OwnPayments } from '../matching/own-payments.js';
import { type CarriedPayment } from './carried.js';

const PAGE = 200;
const AT_ONCE = 16;
const FAMILIES: readonly PaymentFamily[] = ['collection', 'disbursement'];

/** The payments that a close looks at. */
export interface OwnDay {
  /** Those of the day, and those of earlier days that were open. */
  readonly payments: OwnPayments;
  /** Those that were made after the end of the day, and before the balance was read. */
  readonly after: readonly OwnPayment[];
  /** What the close before said of payments, by their place. */
  readonly carried: ReadonlyMap<number, CarriedPayment>;
}

/** Which payments. */
export interface OwnSpan {
  /** The end of the day that was closed before, or the beginning of the first day. */
  readonly from: number;
  /** The end of the day. */
  readonly to: number;
  /** When the answer with the balance had come. */
  readonly readUntil: number;
  /** What the close before left; undefined at the first close. */
  readonly carried: AsyncIterable<readonly CarriedPayment[]> | undefined;
}

type OwnJournal = Pick<ReconciledAccount, 'journal' | 'scope'>;

/**
 * Reads the payments of a day from the journal, page by page.
 *
 * @param eachPage Is called after each page, to show that the run is alive.
 */
export async function readOwnDay(
  own: OwnJournal,
  span: OwnSpan,
  eachPage: () => Promise<void> | undefined,
): Promise<OwnDay> {
  const payments = new OwnPayments();
  const after: OwnPayment[] = [];
  const earlier = span.carried ? carriedPayments(own, span.carried) : olderPayments(own, span.from);
  const known: CarriedPayment[] = [];
  const take = (payment: OwnPayment): void => {
    if (payment.begunAt < span.to) payments.add(payment);
    // The first close has no balance to compare with, but the next one must not miss another attempt.
    else if (span.carried || payment.createdAt < span.to) after.push(payment);
  };
  for await (const page of earlier) {
    page.payments.forEach(take);
    known.push(...page.known);
    await eachPage();
  }
  for await (const page of pagesFrom(own, [], { from: span.from, to: Math.max(span.to, span.readUntil) })) {
    page.map(ownPayment).forEach(take);
    await eachPage();
  }
  const carried = new Map<number, CarriedPayment>();
  for (const one of known) {
    const place = payments.find(one.family, one.reference);
    if (place !== undefined) carried.set(place, one);
  }
  return { payments, after, carried };
}

interface EarlierPage {
  readonly payments: readonly OwnPayment[];
  /** Of which the close before said something. */
  readonly known: readonly CarriedPayment[];
}

/** What the close before left, as it is now. A payment that the journal has forgotten had ended. */
async function* carriedPayments(
  { journal, scope }: OwnJournal,
  carried: AsyncIterable<readonly CarriedPayment[]>,
): AsyncGenerator<EarlierPage, void, undefined> {
  for await (const list of carried) {
    for (let start = 0; start < list.length; start += AT_ONCE) {
      const some = list.slice(start, start + AT_ONCE);
      const found = await Promise.all(
        some.map(({ family, reference }) => journal.get({ ...scope, family, reference })),
      );
      const payments = found.flatMap((stored) => (stored ? [ownPayment(stored)] : []));
      yield { payments, known: some.filter(({ proven, awaitsRow }) => proven ?? awaitsRow) };
    }
  }
}

/** Before the first close: whatever is open. */
async function* olderPayments(own: OwnJournal, to: number): AsyncGenerator<EarlierPage, void, undefined> {
  for await (const page of pagesFrom(own, ['settled'], { to })) {
    const open = page.map(ownPayment).filter(({ state, isRepeatable }) => state !== 'none' || isRepeatable);
    yield { payments: open, known: [] };
  }
}

/** The payments that were written down from `from` to `to`. The storage reads a page while the one before is looked at. */
async function* pagesFrom(
  { journal, scope }: OwnJournal,
  except: readonly JournalState[],
  { from, to }: { readonly from?: number; readonly to: number },
): AsyncGenerator<readonly StoredJournalRecord[], void, undefined> {
  for (const family of FAMILIES) {
    const read = (after?: string): Promise<JournalPage> => {
      const place = { ...(from !== undefined && { from }), ...(after !== undefined && { after }) };
      const page = journal.list({ ...scope, family }, except, { limit: PAGE, ...place });
      // It may fail while the page before is still looked at; whoever awaits it hears that.
      page.catch(() => undefined);
      return page;
    };
    for (let page: Promise<JournalPage> | undefined = read(); page;) {
      const { entries, next }: JournalPage = await page;
      const inTime = entries.filter(({ createdAt }) => createdAt < to);
      page = next !== undefined && inTime.length === entries.length ? read(next) : undefined;
      yield inTime;
    }
  }
}
