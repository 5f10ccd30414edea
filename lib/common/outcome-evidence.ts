/**
 * Why the outcome of a payment is not known. `conflict`: the gateway refused it, or an operator called it ended without success, and the
 * gateway acknowledged it afterwards.
 *
 * @publicApi
 */
export type OutcomeEvidence =
  | 'no-answer'
  | 'bad-answer'
  | 'server-error'
  | 'provider-error'
  | 'echo-mismatch'
  | 'duplicate-request'
  | 'duplicate-reference'
  | 'unlisted-code'
  | 'refused-after-ambiguity'
  | 'aborted'
  | 'in-flight'
  | 'interrupted'
  | 'conflict';
