import { type FactName, type FactValue } from '../../gateway-profile/facts.js';

/**
 * What a question found out. `held`: the gateway does what the specification says. `differs`: it does not, or it does what this tool
 * does not know. `learnt`: what the specification leaves open is known now. `silent`: nothing can be concluded.
 */
export type Verdict = 'held' | 'differs' | 'learnt' | 'silent';

/** A number is neither smaller nor larger. Left out: as small or as large as you like. */
export interface FactRange {
  readonly name: FactName;
  readonly least?: number;
  readonly most?: number;
}

export interface Conclusion {
  readonly verdict: Verdict;
  /** The name of the question. */
  readonly question: string;
  /** What was found, in one clause: "DUPLICATE_REQUEST for the same key and body". No personal data, and no text of the gateway. */
  readonly says: string;
  /** What is known now; undefined with `silent`, with what this tool does not know, and with what no fact is about. */
  readonly fact?: { readonly name: FactName; readonly value: FactValue };
  /** With `differs`: a value that it may show as well. A fact with this value is not in doubt because of it. */
  readonly fits?: { readonly name: FactName; readonly value: FactValue };
  /** With `silent`: where a limit lies, of which no value is known. Left out: nothing is known of it. */
  readonly within?: FactRange;
  /** The request ids of the answers that show it. */
  readonly evidence: readonly string[];
  /** The option of the package that it decides; undefined: nothing to set. */
  readonly option?: string;
}
