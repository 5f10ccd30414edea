import { type CsvCell, csvRow } from '../../common/csv-row.js';
import { formatCents } from '../../common/money.js';
import { timestamp } from '../clock/timestamp.js';
import { type Collection } from './collection.js';
import { type Merchant } from './merchant.js';
import { type Payout } from './payout.js';
import { type WalletAdjustment } from './wallet.js';

/** The time of a statement, in milliseconds since 1970. */
interface StatementSpan {
  /** The first moment. */
  readonly from?: number | undefined;
  /** The first moment after it. */
  readonly to?: number | undefined;
}

const COLUMNS = [
  'Date',
  'Type',
  'Reference',
  'Provider Reference',
  'Amount',
  'Fee',
  'Recipient',
  'Currency',
  'Status',
] as const;

/** A row without what every row has: the time and the currency. */
type Row = Readonly<Partial<Record<(typeof COLUMNS)[number], CsvCell>>>;

/**
 * What moved a merchant's money, as CSV text, the oldest first: collections and payouts that succeeded, and what a person
 * added or took. The specification shows no statement, so the emulator invents its form.
 */
export function statementOf(
  { collections, payouts, adjustments }: Pick<Merchant, 'collections' | 'payouts' | 'adjustments'>,
  { from = -Infinity, to = Infinity }: StatementSpan,
): string {
  const moved = [
    ...[...collections.values()].flatMap((payment) =>
      payment.status === 'success'
        ? [{ at: payment.settledAt ?? payment.createdAt, row: collectionRow(payment) }]
        : [],
    ),
    ...[...payouts.values()].flatMap((payout) =>
      payout.status === 'paid' ? [{ at: payout.settledAt ?? payout.createdAt, row: payoutRow(payout) }] : [],
    ),
    ...adjustments.map((adjustment) => ({ at: adjustment.at, row: adjustmentRow(adjustment) })),
  ];
  const shown = moved.filter(({ at }) => at >= from && at < to).sort((one, other) => one.at - other.at);
  const rows = shown.map(({ at, row }) => csvRow(COLUMNS.map((column) => cellOf(column, at, row))));
  return csvRow(COLUMNS) + rows.join('');
}

function cellOf(column: (typeof COLUMNS)[number], at: number, row: Row): CsvCell {
  if (column === 'Date') return timestamp(at);
  if (column === 'Currency') return 'TZS';
  return row[column] ?? '';
}

function collectionRow({ request, providerReference, amountCents, feeCents }: Collection): Row {
  return {
    Type: 'Collection',
    Reference: request.reference,
    'Provider Reference': providerReference,
    Amount: money(amountCents),
    Fee: money(feeCents),
    Recipient: request.phone,
    Status: 'Success',
  };
}

function payoutRow({ request, recipient, amountCents, feeCents }: Payout): Row {
  const { account_number: account, recipient_phone: phone } = recipient.fields;
  return {
    Type: 'Payout',
    Reference: request.reference,
    Amount: money(amountCents),
    Fee: money(feeCents),
    Recipient: account ?? phone ?? '',
    Status: 'Paid',
  };
}

function adjustmentRow({ cents }: WalletAdjustment): Row {
  return { Type: 'Adjustment', Amount: money(cents), Status: 'Success' };
}

/** A minus begins no formula. */
function money(cents: bigint): CsvCell {
  return { number: formatCents(cents) };
}
