import {
  type CloseException,
  type CloseProposal,
  EXCEPTION_KINDS,
  type OwnSide,
  type StatementSide,
} from '../exceptions/close-exception.js';
import { ageText, type AtClock, countText, grouped, oneLine } from './wording.js';

/** An exception for people. */
interface ExceptionFacts {
  readonly title: string;
  /** A label and a text each. */
  readonly facts: readonly (readonly [label: string, text: string])[];
}

/** The gravest first; exceptions of one kind stay as they are. */
export function gravestFirst(exceptions: readonly CloseException[]): readonly CloseException[] {
  return [...exceptions].sort(
    (one, other) => EXCEPTION_KINDS.indexOf(one.kind) - EXCEPTION_KINDS.indexOf(other.kind),
  );
}

/** `Open: 3 (balance 1, missing-there 2).` */
export function openText(exceptions: readonly CloseException[]): string {
  const open = exceptions.filter(({ state }) => state === 'open');
  const kinds = EXCEPTION_KINDS.flatMap((kind) => {
    const count = open.filter((exception) => exception.kind === kind).length;
    return count === 0 ? [] : [{ kind, count }];
  });
  if (kinds.length === 0) return 'Open: none.';
  return `Open: ${countText(open.length)} (${kinds.map(({ kind, count }) => `${kind} ${countText(count)}`).join(', ')}).`;
}

/** What a person needs to know of an exception. */
export function factsOf(exception: CloseException, at: AtClock): ExceptionFacts {
  const { kind, family, reference, state, ageMs, day, reason, own, theirs, proposal, hint, note } = exception;
  const what = family === undefined ? '' : `: ${paymentText(family, reference)}`;
  const hasSides = own !== undefined || theirs !== undefined;
  return {
    title: `${kind}${what}`,
    facts: [
      ['reason', oneLine(reason)],
      ['age', `${ageText(ageMs)}, found by the close of ${day}`],
      ...pair('journal', hasSides ? ownText(own, at) : undefined),
      ...pair('statement', hasSides ? statementText(theirs, at) : undefined),
      ...pair('proposal', proposal && proposalText(proposal)),
      ...pair('hint', hint === undefined ? undefined : oneLine(hint)),
      ['state', state],
      ...pair('note', note && `${oneLine(note.text)} (${oneLine(note.by)}, ${at(note.at)})`),
      ['id', oneLine(exception.id)],
    ],
  };
}

function pair(label: string, text: string | undefined): readonly (readonly [string, string])[] {
  return text === undefined ? [] : [[label, text]];
}

function paymentText(family: CloseProposal['family'], reference: string | undefined): string {
  const word = family === 'collection' ? 'collection' : 'payout';
  return reference === undefined ? `${word} without a reference` : `${word} ${oneLine(reference)}`;
}

function ownText(own: OwnSide | undefined, at: AtClock): string {
  if (!own) return 'nothing';
  return [oneLine(own.status), ...moneyTexts(own), `made at ${at(own.createdAt)}`].join(', ');
}

function statementText(theirs: StatementSide | undefined, at: AtClock): string {
  if (!theirs) return 'nothing';
  const { kind, isFailed, statement, row } = theirs;
  const what = isFailed ? `failed ${kind}` : kind;
  return [what, ...moneyTexts(theirs), at(theirs.at), `row ${row} of ${oneLine(statement)}`].join(', ');
}

function moneyTexts({ amount, fee }: Pick<OwnSide, 'amount' | 'fee'>): readonly string[] {
  return [
    amount === '' ? 'unreadable amount' : grouped(amount),
    ...(fee === undefined ? [] : [`fee ${grouped(fee)}`]),
  ];
}

function proposalText({ family, reference, outcome, row }: CloseProposal): string {
  return `settle the ${paymentText(family, reference)} as ${outcome}, which row ${row} proves`;
}
