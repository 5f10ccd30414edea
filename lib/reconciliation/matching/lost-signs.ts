import { inPieces } from '../../common/in-pieces.js';
import { type PaymentFamily } from '../../common/vocabulary.js';
import { type JournalPayment, journalPayment } from './journal-payment.js';
import { type StatementMatch } from './match-statement.js';
import { type AccountJournalReader } from './open-rows.js';
import { type OpenReturn } from './taken-back.js';

/**
 * Reports money that is no payment, and brings in what a collection brought in, under its reference. It cannot be right: it came in
 * twice, or somebody took it back, and the row has no minus. Other amounts may be right, and so is money of a payout that came back.
 *
 * @param everyPiece Shows that the run is alive.
 */
export async function findLostSigns(
  match: Pick<StatementMatch, 'openReturns' | 'addFinding'>,
  account: AccountJournalReader,
  everyPiece: () => Promise<void> | undefined,
): Promise<void> {
  const rows = match.openReturns.filter(
    ({ family, money }) => family === 'disbursement' && money.kind === 'other',
  );
  for await (const piece of inPieces(rows, (row) => collectionOf(account, row))) {
    for (const [{ reference, money }, own] of piece)
      if (own)
        match.addFinding({
          kind: 'status',
          family: 'collection',
          reference,
          own,
          row: money,
          contradicts: 'sign',
        });
    await everyPiece();
  }
}

/** The collection that moved as much; undefined if there is none, or the reference is that of a payout, too. */
async function collectionOf(
  { journal, scope }: AccountJournalReader,
  { reference, money }: OpenReturn,
): Promise<JournalPayment | undefined> {
  const keyOf = (family: PaymentFamily) => ({ ...scope, family, reference });
  const stored = await journal.get(keyOf('collection'));
  const own = stored && journalPayment(stored);
  if (own?.cents === undefined || (money.cents !== own.cents && money.cents !== netOf(own))) return undefined;
  const payout = keyOf('disbursement');
  const isOfPayout = (await journal.get(payout)) ?? (await journal.tombstone(payout));
  return isOfPayout ? undefined : own;
}

function netOf({ cents = 0, feeCents = 0 }: JournalPayment): number {
  return cents - feeCents;
}
