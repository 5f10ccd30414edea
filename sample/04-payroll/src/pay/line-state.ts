import { type JournalEntry } from 'nestjs-payments';

/**
 * The state of a line.
 *
 * - `accepted`: the gateway took it and sends the money. It reports no later outcome of payouts.
 * - `paid`, `failed`, `cancelled`: an operator settled it.
 * - `unknown`: the money may have moved.
 * - `refused`: the gateway definitely did not take it.
 * - `not-sent`: nothing was sent.
 */
export type LineState = 'accepted' | 'paid' | 'unknown' | 'refused' | 'failed' | 'cancelled' | 'not-sent';

export interface LineResult {
  readonly state: LineState;
  /** Why, for people. */
  readonly detail: string;
}

export const NOT_SENT: LineResult = { state: 'not-sent', detail: '' };

const UNKNOWN_BECAUSE: Readonly<Partial<Record<NonNullable<JournalEntry['evidence']>, string>>> = {
  'duplicate-request': 'the gateway has it already: ask its support what happened to it',
  'duplicate-reference': 'the gateway has it already: ask its support what happened to it',
  conflict: 'it was written down as ended, but the gateway has it: ask its support what happened to it',
  interrupted: 'the run was cut off while it was being sent',
  'in-flight': 'it is being sent, or the run was cut off while it was',
};

/** The result of a line from its journal entry. */
export function resultOf(entry: JournalEntry | undefined): LineResult {
  switch (entry?.state) {
    case undefined:
      return NOT_SENT;
    // This run enlists nothing; whatever plans a line will send it.
    case 'planned':
    case 'in-flight':
      return unknownBecause('in-flight');
    case 'unknown':
      return unknownBecause(entry.evidence ?? 'interrupted');
    case 'accepted':
      return { state: 'accepted', detail: '' };
    case 'rejected':
      return { state: 'refused', detail: 'the gateway refused it' };
    case 'settled':
      return { state: settledState(entry), detail: 'written down before' };
  }
}

export function unknownBecause(evidence: NonNullable<JournalEntry['evidence']>): LineResult {
  return { state: 'unknown', detail: UNKNOWN_BECAUSE[evidence] ?? `no certain answer came (${evidence})` };
}

/** Whether the line's money has, or may have, moved, so that the line must not change. */
export function isOut({ state }: LineResult): boolean {
  return state === 'accepted' || state === 'paid' || state === 'unknown';
}

/**
 * Whether the line may be sent: it never was, or it definitely moved no money. The package decides the rest.
 */
export function isOpen({ state }: LineResult): boolean {
  return state === 'not-sent' || state === 'refused' || state === 'failed';
}

function settledState({ outcome }: JournalEntry): LineState {
  return outcome === 'paid' || outcome === 'cancelled' ? outcome : 'failed';
}
