/** What happens to the lines of a batch; each line is on the disk before a caller sees its result. */
export type BatchHappening =
  /** The journal is about to write the payment down: from here on its request may leave. */
  | { readonly what: 'begun'; readonly reference: string }
  /** The journal has said what it knows, or has written down how the request ended. */
  | { readonly what: 'known'; readonly reference: string; readonly state: string }
  /** The journal did not answer: nobody knows what it has written down. */
  | { readonly what: 'journal away'; readonly reference: string }
  /** How much memory a replica has that nobody kills. */
  | { readonly what: 'memory'; readonly kb: number };
