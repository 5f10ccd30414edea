import { MONEY_PATHS } from '../support/operation-calls.js';
import { type Belief } from './call-result.js';
import { type Effect } from './gateway.js';
import { type JournalView } from './journal-view.js';

/** What the journal holds about one reference, and what is known of it. */
export interface JudgedEntry {
  readonly entry: JournalView | undefined;
  readonly effects: readonly Effect[];
  /** What the results of its callers say. */
  readonly belief: Belief;
  /** The merchant knew how the payment ended. */
  readonly hasEnded: boolean;
  /** It was enlisted and committed, and its attempt has not ended. */
  readonly isPlanned: boolean;
  /** The journal may have forgotten it. */
  readonly purgeTargets: boolean;
}

/** The journal may name an operation that nobody knows. */
const PATHS: Readonly<Record<string, string>> = MONEY_PATHS;

/** How the journal contradicts the gateway's ledger or the results of callers; undefined: it does not. */
export function journalProblem(judged: JudgedEntry): string | undefined {
  return missingProblem(judged) ?? (judged.entry && entryProblem(judged, judged.entry));
}

function missingProblem({
  entry,
  effects,
  belief,
  purgeTargets,
  isPlanned,
}: JudgedEntry): string | undefined {
  if (isPlanned && entry === undefined) return 'a planned payment is not in the journal any more';
  const isMade = effects.length > 0;
  if (isMade && belief !== 'open')
    return 'a payment was made although its callers were told that nothing was';
  if (entry !== undefined || purgeTargets) return undefined;
  if (isMade) return 'a payment was made that is not in the journal';
  return belief === 'open' ? 'a payment may have been made that is not in the journal' : undefined;
}

function entryProblem(
  { effects: [effect], hasEnded, isPlanned }: JudgedEntry,
  entry: JournalView,
): string | undefined {
  const { state, outcome } = entry;
  if (state === 'planned' && !isPlanned) return 'a payment is planned that nobody has enlisted';
  if (state === 'planned' && effect) return 'a payment was made that the journal calls planned';
  if (hasEnded && state !== 'settled') return 'a payment that had ended is open again';
  if (effect && state === 'rejected') return 'a payment was made that the journal calls rejected';
  if (!effect && state === 'accepted') return 'an accepted payment was not made';
  if (state === 'settled' && effect?.status !== outcome && (effect !== undefined || outcome !== 'failed'))
    return 'a payment is settled with another outcome';
  if (!effect || (state !== 'accepted' && state !== 'settled')) return undefined;
  const isSame = entry.amount === effect.amount && effect.path.endsWith(PATHS[entry.operation] ?? 'nowhere');
  return isSame ? undefined : 'the journal holds another payment than was made';
}
