/**
 * Why the outcome of a payment is not known.
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
  | 'interrupted';
