import { type JournalState, PAYMENT_FAMILIES } from '../../common/vocabulary.js';
import { failedSend } from '../../journal/payment/repeated-call.js';
import { type JournalPage, type StoredJournalRecord } from '../../storage/journal-store.js';
import { inPieces } from '../../common/in-pieces.js';
import { hasOutcome, isOpen, type JournalPayment, journalPayment } from '../matching/journal-payment.js';
import { type RowMoney } from '../matching/classify-payment.js';
import { type AccountJournalReader } from '../matching/open-rows.js';
import { JournalPayments } from '../matching/journal-payments.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { type CarriedPayment } from './carried.js';

const PAGE = 400;

/** The payments that a close looks at. */
export interface JournalDay {
  /** Those of the day, and those of earlier days that were open. */
  readonly payments: JournalPayments;
  /** Those that were made after the end of the day, and before the balance was read. */
  readonly after: readonly JournalPayment[];
  /** What the close before said of payments, by their place. */
  readonly carried: ReadonlyMap<number, KnownPayment>;
}

/** A payment of which the close before said something. */
interface KnownPayment extends CarriedPayment {
  /** It was proposed, and nobody has applied that. */
  readonly proposal?: ProvenRow;
  /** In place of `proven`: its rows contradict each other, and the journal holds its end since. */
  readonly shown?: RowMoney | undefined;
}

/** Which payments. */
interface JournalSpan {
  /** The end of the day that was closed before, or the beginning of the first day. */
  readonly from: number;
  /** The end of the day. */
  readonly to: number;
  /** When the answer with the balance had come. */
  readonly readUntil: number;
  /** What the close before left; undefined at the first close. */
  readonly carried: AsyncIterable<readonly CarriedPayment[]> | undefined;
  /** What the close before proposed, but what it proposed for exceptions, which stay by themselves. */
  readonly proposed: AsyncIterable<readonly ProvenRow[]> | undefined;
}

/**
 * Reads the payments of a day from the journal, page by page.
 *
 * @param eachPage Is called after each page, to show that the run is alive.
 */
export async function readJournalDay(
  account: AccountJournalReader,
  span: JournalSpan,
  eachPage: () => Promise<void> | undefined,
): Promise<JournalDay> {
  const payments = new JournalPayments();
  const after: JournalPayment[] = [];
  const earlier = span.carried ? carriedPayments(account, span.carried) : olderPayments(account, span.from);
  const known: KnownPayment[] = [];
  const take = (payment: JournalPayment): void => {
    if (payment.begunAt < span.to) payments.add(payment);
    // The first close has no balance to compare with, but the next one must not miss another attempt.
    else if (span.carried || payment.createdAt < span.to) after.push(payment);
  };
  for await (const page of earlier) {
    page.payments.forEach(take);
    known.push(...page.known);
    await eachPage();
  }
  for await (const page of proposedPayments(account, span.proposed)) {
    page.payments.forEach(take);
    known.push(...page.known);
    await eachPage();
  }
  for await (const page of pagesFrom(account, [], {
    from: span.from,
    to: Math.max(span.to, span.readUntil),
  })) {
    page.map(journalPayment).forEach(take);
    await eachPage();
  }
  const carried = new Map<number, KnownPayment>();
  for (const one of known) {
    const place = payments.find(one.family, one.reference);
    if (place === undefined || !isStillOf(one, payments.at(place))) continue;
    carried.set(place, joined(carried.get(place), one, payments.at(place)));
  }
  return { payments, after, carried };
}

/**
 * A row says nothing of another attempt, and a failure nothing of what was sent after it. Nor does a failure that the journal holds
 * contradict later rows.
 */
function isStillOf({ proven, attempt = 1 }: KnownPayment, payment: JournalPayment): boolean {
  if (!proven) return true;
  if (attempt !== payment.attempt) return false;
  return (
    !proven.isFailed ||
    proven.isContradicted === true ||
    (isOpen(payment) && failedSend(payment, proven.at) === 'last')
  );
}

/** A row that another one contradicts decides; of others the first one. */
function joined(before: KnownPayment | undefined, one: KnownPayment, payment: JournalPayment): KnownPayment {
  const first = before?.shown ?? before?.proven;
  const row = one.proven?.isContradicted ? one.proven : (first ?? one.proven);
  if (row?.isContradicted && hasOutcome(payment)) return { ...one, proven: undefined, shown: row };
  return { ...one, proven: row };
}

interface EarlierPage {
  readonly payments: readonly JournalPayment[];
  /** Of which the close before said something. */
  readonly known: readonly KnownPayment[];
}

/** What the close before left, as it is now. A payment that the journal has forgotten had ended. */
async function* carriedPayments(
  account: AccountJournalReader,
  carried: AsyncIterable<readonly CarriedPayment[]>,
): AsyncGenerator<EarlierPage, void, undefined> {
  for await (const list of carried) {
    for await (const piece of inPieces(list, (one) => paymentOf(account, one))) {
      const known = piece
        .map(([one]) => one)
        .filter(({ proven, awaitsRow, isUnseen }) => proven ?? awaitsRow ?? isUnseen);
      yield { payments: piece.flatMap(([, payment]) => payment ?? []), known };
    }
  }
}

/** What was proposed and is still open: the next close proposes it again, because nothing else would end it. */
async function* proposedPayments(
  account: AccountJournalReader,
  proposed: JournalSpan['proposed'] = none(),
): AsyncGenerator<EarlierPage, void, undefined> {
  for await (const list of proposed) {
    for await (const piece of inPieces(list, (one) => paymentOf(account, one))) {
      const open = piece.flatMap(([proposal, payment]) =>
        payment && isOpen(payment) ? [{ proposal, payment }] : [],
      );
      yield { payments: open.map(({ payment }) => payment), known: open.map(knownProposal) };
    }
  }
}

async function* none(): AsyncGenerator<never, void, undefined> {}

/** What a row proves has the amount of its payment. */
function knownProposal({
  proposal,
  payment,
}: {
  proposal: ProvenRow;
  payment: JournalPayment;
}): KnownPayment {
  const { family, reference, outcome, row, at, attempt } = proposal;
  const { cents = 0, feeCents } = payment;
  const kind = family === 'collection' ? 'collection' : 'payout';
  const proven = { row, kind, cents, feeCents, at, isFailed: outcome === 'failed' } as const;
  return { family, reference, proven, attempt, proposal };
}

async function paymentOf(
  { journal, scope }: AccountJournalReader,
  { family, reference }: Pick<CarriedPayment, 'family' | 'reference'>,
): Promise<JournalPayment | undefined> {
  const stored = await journal.get({ ...scope, family, reference });
  return stored && journalPayment(stored);
}

/** Before the first close: whatever is open. */
async function* olderPayments(
  account: AccountJournalReader,
  to: number,
): AsyncGenerator<EarlierPage, void, undefined> {
  for await (const page of pagesFrom(account, ['settled'], { to })) {
    const open = page
      .map(journalPayment)
      .filter(({ state, isRepeatable }) => state !== 'none' || isRepeatable);
    yield { payments: open, known: [] };
  }
}

/**
 * The same payments, all of them open. What a list could not open for now is read by itself, so that a close fails without its
 * key service, and never counts such a payment as unknown.
 */
async function opened(
  { journal, scope }: AccountJournalReader,
  page: readonly StoredJournalRecord[],
): Promise<readonly StoredJournalRecord[]> {
  if (!page.some(({ unavailable }) => unavailable)) return page;
  const all: StoredJournalRecord[] = [];
  const read = async (stored: StoredJournalRecord): Promise<StoredJournalRecord | undefined> => {
    const { family, reference } = stored.record;
    return stored.unavailable ? journal.get({ ...scope, family, reference }) : stored;
  };
  for await (const piece of inPieces(page, read)) all.push(...piece.flatMap(([, stored]) => stored ?? []));
  return all;
}

/** The payments that were written down from `from` to `to`. The storage reads a page while the one before is looked at. */
async function* pagesFrom(
  reader: AccountJournalReader,
  except: readonly JournalState[],
  { from, to }: { readonly from?: number; readonly to: number },
): AsyncGenerator<readonly StoredJournalRecord[], void, undefined> {
  const { journal, scope } = reader;
  for (const family of PAYMENT_FAMILIES) {
    const read = (after?: string): Promise<JournalPage> => {
      const place = { ...(from !== undefined && { from }), ...(after !== undefined && { after }) };
      const page = journal.list({ ...scope, family }, except, { limit: PAGE, ...place });
      // It may fail while the page before is still looked at; the code that awaits it gets the error.
      page.catch(() => undefined);
      return page;
    };
    for (let page: Promise<JournalPage> | undefined = read(); page;) {
      const { entries, next }: JournalPage = await page;
      const inTime = entries.filter(({ createdAt }) => createdAt < to);
      page = next !== undefined && inTime.length === entries.length ? read(next) : undefined;
      yield await opened(reader, inTime);
    }
  }
}
