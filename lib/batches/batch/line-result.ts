import { jsonObject } from '../../common/json-object.js';
import { type NameMatch } from '../names/compare-names.js';

/**
 * Why the check blocked a line.
 *
 * @publicApi
 */
export type LineProblem =
  /** The holder's name needs somebody's word. */
  | 'name'
  /** The gateway lists no such bank. */
  | 'bank'
  /** The gateway does not know the account or phone, or does not say which network it is in. */
  | 'recipient'
  /** The gateway gave no usable answer about the recipient, several times: `check()` asks again. */
  | 'lookup'
  /** Another line pays the same recipient, or paid the same amount not long ago. */
  | 'same-recipient';

/** The word of a person for a line that was blocked. */
export interface LineWord {
  readonly by: string;
  /** The holder's name at that time: another one needs another word. */
  readonly holder: string | undefined;
  /** What the person saw: another finding needs another word. */
  readonly detail: string | undefined;
}

/** What is known of a line beside its content. Personal data. */
export interface LineResult {
  /** The check, in milliseconds since 1970. */
  readonly checkedAt?: number;
  /** The holder's name at the gateway. */
  readonly holder?: string;
  readonly match?: NameMatch;
  /** The network of a phone, which only the gateway knows: numbers move from one to another. */
  readonly network?: string;
  /** Absent: none. */
  readonly problems?: readonly LineProblem[];
  /** How often the gateway gave no usable answer to a lookup. */
  readonly failedLookups?: number;
  /** The round of the batch in which it was blocked because of that: the same check does not look it up once more. */
  readonly unansweredIn?: number | undefined;
  /** More about the state, for people. */
  readonly detail?: string;
  /** What the gateway charged: two-decimal string in TZS. */
  readonly fee?: string;
  readonly word?: LineWord;
  /** The run that marked the line last, or took it over: 16 hexadecimal digits. */
  readonly mark?: string | undefined;
  /** Its reference belongs to a payment to another recipient, as the journal said when a call compared them. */
  readonly isOfAnother?: true | undefined;
}

export function resultOf(text: string): LineResult {
  return jsonObject(text) ?? {};
}
