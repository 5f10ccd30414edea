import { type FactName, type FactValue } from '../../gateway-profile/facts.js';

/**
 * What a question found out. `held`: the gateway does what the specification says. `differs`: it does not, or it does what this tool
 * does not know. `learnt`: what the specification leaves open is known now. `silent`: nothing can be concluded.
 */
export type Verdict = 'held' | 'differs' | 'learnt' | 'silent';

export interface Conclusion {
  readonly verdict: Verdict;
  /** The name of the question. */
  readonly question: string;
  /** What was found, in one clause: "DUPLICATE_REQUEST for the same key and body". No personal data, and no text of the gateway. */
  readonly says: string;
  /** What is known now; undefined with `silent`, with what this tool does not know, and with what no fact is about. */
  readonly fact?: { readonly name: FactName; readonly value: FactValue };
  /** The request ids of the answers that show it. */
  readonly evidence: readonly string[];
  /** The option of the package that it decides; undefined: nothing to set. */
  readonly option?: string;
}
