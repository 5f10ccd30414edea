import { type NetworkFault } from '../../support/faulty-proxy.js';

/** The result that a caller got; `in flight`: another call has it, and this one sent nothing. */
export type Said =
  'accepted' | 'rejected' | 'unknown' | 'in flight' | 'not sent' | 'not by this call' | 'reused';

/** What happens to payments; each line is on the disk before the deed, or before a caller sees its result. */
export type CallHappening =
  | { readonly what: 'calling'; readonly reference: string; readonly call: number }
  /** No such line: the process died, and its caller got no result. */
  | {
      readonly what: 'told';
      readonly reference: string;
      readonly call: number;
      readonly said: Said;
      readonly error?: string;
    }
  /** The gateway moves money. */
  | { readonly what: 'moved'; readonly reference: string; readonly key: string }
  | {
      readonly what: 'journal broken';
      readonly reference: string;
      readonly fault: NetworkFault;
      readonly place: number;
    };
