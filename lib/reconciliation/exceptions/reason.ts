import { formatCents } from '../../common/money.js';
import { quoted } from '../../common/quoted.js';
import { type RowMoney } from '../matching/classify-payment.js';
import { type Finding } from '../matching/finding.js';
import { type JournalPayment } from '../matching/journal-payment.js';
import { familyTakenBack } from '../matching/taken-back.js';
import { type ExceptionKind } from './close-exception.js';

/** The words of a finding. */
interface FindingWords {
  readonly what: string;
  readonly status: string;
  readonly ours: string;
  readonly theirs: string;
  readonly where: string;
  /** Without a sign. */
  readonly gap: string;
  readonly isMissing: boolean;
  readonly isFailed: boolean;
  readonly isForgotten: boolean;
  readonly isTurnedAway: boolean;
  /** What the row says that the money did. */
  readonly moved: string;
}

const REASONS: Readonly<Record<ExceptionKind, (words: FindingWords) => string>> = {
  'missing-here': ({ what, theirs, where, isForgotten }) =>
    `The statement has a ${what} of ${theirs} (${where}), and the journal has ${isForgotten ? 'forgotten it' : 'none with its reference'}.`,
  'missing-there': ({ what, ours, status }) =>
    `The journal has a ${what} of ${ours} that is ${status}, and the statement does not show it.`,
  amount: ({ ours, theirs, where }) => `The journal has ${ours}, and the statement ${theirs} (${where}).`,
  fee: ({ ours, theirs, where }) =>
    `The fee is another one: the journal has ${ours}, and the statement ${theirs} (${where}).`,
  duplicate: ({ what, where }) => `The statement shows this ${what} once more (${where}).`,
  status: ({ status, theirs, where, isFailed, moved }) =>
    `The journal says ${status}, and the statement says that ${isFailed ? 'no money' : theirs} ${moved} (${where}).`,
  proven: ({ status, theirs, where, isFailed }) =>
    `The journal says ${status}, and the statement proves that ${isFailed ? 'no money' : theirs} moved (${where}).`,
  late: ({ what, where }) => `This ${what} moved long after it was made (${where}).`,
  unknown: ({ what, status, isTurnedAway }) =>
    isTurnedAway
      ? `The gateway turned this ${what} away (401, 403, 429 or a redirect), and no later call got another answer. Make the same call, or ask the gateway, and settle it as failed if it has none and will make none.`
      : `Nobody knows whether the money of this ${what} moved: the journal says ${status}, and nothing proves its end.`,
  unproven: ({ what, ours }) =>
    `The gateway accepted this ${what} of ${ours}, and nothing says that it ended.`,
  balance: ({ gap, isMissing }) =>
    `The balance is ${gap} TZS ${isMissing ? 'less' : 'more'} than the payments explain.`,
};

const LOOSE = 'The row names no reference of the journal; amount and time fit this payment alone.';
const CONTRADICTS = {
  nothing: '',
  row: 'Another row says the contrary, so neither is proposed.',
  back: 'Ask the gateway how it ended: nothing of it is proposed.',
  part: 'That is a part of it: look for other rows that name it, and ask the gateway how it ended. Nothing of it is proposed.',
  attempts: 'That was before the last attempt began, and the journal says that no earlier one moved money.',
  send: 'That was before the payment was sent last, or so soon after it that it may be another failure: nothing is proposed.',
  sign: 'If it was taken back, the row lacks its minus: give such rows one in statements to come.',
} as const;

/** Why both sides differ, in a sentence for people. */
export function reasonOf({ kind, family, row, own, gap = 0, ...finding }: Finding): string {
  const { contradicts = 'nothing' } = finding;
  const isBack = contradicts === 'row' && isReturn(family, row);
  const theirs = row && (isBack ? { ...row, cents: Math.abs(row.cents) } : row);
  const reason = REASONS[kind]({
    what: family === 'collection' ? 'collection' : 'payout',
    status: own?.status ?? '',
    ours: moneyOf(own),
    theirs: moneyOf(theirs),
    where: row ? `row ${row.row}` : 'no row',
    gap: formatCents(BigInt(Math.abs(gap))),
    isMissing: gap < 0,
    isFailed: row?.isFailed === true,
    isForgotten: finding.isForgotten === true,
    isTurnedAway: own?.isTurnedAway === true,
    moved: verbOf(family, isBack, contradicts),
  });
  const more = finding.isLoose ? LOOSE : CONTRADICTS[isBack ? backOrPart(own, theirs) : contradicts];
  return more === '' ? reason : `${reason} ${more}`;
}

function isReturn(family: Finding['family'], row: Finding['row']): boolean {
  return row !== undefined && familyTakenBack(row) === family;
}

function backOrPart(
  own: JournalPayment | undefined,
  back: Pick<RowMoney, 'cents'> | undefined,
): 'back' | 'part' {
  const { cents, feeCents = 0 } = own ?? {};
  return cents !== undefined && back !== undefined && back.cents < cents - feeCents ? 'part' : 'back';
}

function verbOf(family: Finding['family'], isBack: boolean, contradicts: string): string {
  if (contradicts === 'sign') return 'came in as money that is no payment';
  if (!isBack) return 'moved';
  return family === 'collection' ? 'was taken back' : 'came back';
}

/** What explains a balance. */
export interface Explained {
  /** References of open payments whose money moved. */
  readonly moved: readonly string[];
  /** References of payouts whose money was away, and came back. */
  readonly cameBack: readonly string[];
}

/** So many references are named in a hint. */
const NAMED = 20;

/** Says of open payments whether the balance fits if they moved. */
export function hintOf({ moved, cameBack }: Explained): string {
  const back = cameBack.length === 0 ? '' : `the money of exactly these came back: ${named(cameBack)}`;
  if (moved.length > 0) {
    return `It fits if exactly these open payments moved: ${named(moved)}${back && `, and ${back}`}.`;
  }
  return `It fits if none of the open payments moved${back && `, and ${back}`}.`;
}

function named(references: readonly string[]): string {
  const more = references.length - NAMED;
  return references.slice(0, NAMED).map(quoted).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function moneyOf(side: Pick<JournalPayment, 'cents' | 'feeCents'> | undefined): string {
  if (!side) return '';
  const { cents, feeCents } = side;
  const amount = cents === undefined ? 'an unreadable amount' : `${formatCents(BigInt(cents))} TZS`;
  return feeCents === undefined ? amount : `${amount} with a fee of ${formatCents(BigInt(feeCents))}`;
}
