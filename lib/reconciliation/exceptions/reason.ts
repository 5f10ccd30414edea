import { formatCents } from '../../common/money.js';
import { quoted } from '../../common/quoted.js';
import { type Finding } from '../matching/finding.js';

/** Why both sides differ, in a sentence for people. */
export function reasonOf(finding: Finding): string {
  const { row, own, isLoose, isForgotten } = finding;
  const found = isLoose ? ' The row names no reference; amount and time fit this payment alone.' : '';
  const where = row ? `row ${row.row}` : 'no row';
  const ours = own ? money(own.cents, own.feeCents) : '';
  const theirs = row ? money(row.cents, row.feeCents) : '';
  const what = finding.family === 'collection' ? 'collection' : 'payout';
  switch (finding.kind) {
    case 'missing-here':
      return isForgotten
        ? `The statement has a ${what} of ${theirs} (${where}), and the journal has forgotten it.`
        : `The statement has a ${what} of ${theirs} (${where}), and the journal has none with its reference.`;
    case 'missing-there':
      return `The journal has a ${what} of ${ours} that is ${own?.status}, and the statement does not show it.`;
    case 'amount':
      return `The journal has ${ours}, and the statement ${theirs} (${where}).${found}`;
    case 'fee':
      return `The fee is another one: the journal has ${ours}, and the statement ${theirs} (${where}).${found}`;
    case 'duplicate':
      return `The statement shows this ${what} once more (${where}).`;
    case 'status':
      return row?.isFailed
        ? `The journal says ${own?.status}, and the statement says that no money moved (${where}).${found}`
        : `The journal says ${own?.status}, and the statement says that ${theirs} moved (${where}).${found}`;
    case 'proven':
      return row?.isFailed
        ? `The journal says ${own?.status}, and the statement says that no money moved (${where}).${found}`
        : `The journal says ${own?.status}, and the statement proves that ${theirs} moved (${where}).${found}`;
    case 'late':
      return `It moved long after it was made (${where}).${found}`;
    case 'unknown':
      return `Nobody knows whether the money of this ${what} moved: the journal says ${own?.status}, and nothing proves its end.`;
    case 'unproven':
      return `The gateway accepted this ${what} of ${ours}, and nothing says that it ended.`;
    case 'balance':
      return `The balance changed by ${formatCents(BigInt(finding.gap ?? 0))} TZS more than the payments explain.`;
  }
}

/** A finding of the balance has no reference; its hint names payments. */
export function hintOf(references: readonly string[]): string {
  return references.length === 0
    ? 'It fits if none of the open payments moved.'
    : `It fits if exactly these open payments moved: ${references.map(quoted).join(', ')}.`;
}

function money(cents: number | undefined, feeCents: number | undefined): string {
  const amount = cents === undefined ? 'an unreadable amount' : `${formatCents(BigInt(cents))} TZS`;
  return feeCents === undefined ? amount : `${amount} with a fee of ${formatCents(BigInt(feeCents))}`;
}
