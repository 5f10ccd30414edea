/**
 * Names one part of the emulator's state. A part is written as a whole whenever something in it changed, so each
 * is small.
 */
export type StateKey =
  | readonly ['clock' | 'counters' | 'settings' | 'banks' | 'faults']
  | readonly ['merchant' | 'ids' | 'endpoint' | 'delivery' | 'request' | 'answered', id: string]
  /** The empty name is the directory that all merchants share. */
  | readonly ['directory', merchant: string]
  | readonly ['key', merchant: string, idempotencyKey: string]
  | readonly ['payment' | 'payout', merchant: string, reference: string]
  | readonly ['timeline', merchant: string, reference: string, index: string];

/** A changed part, or that everything changed at once. */
export type StateChange = StateKey | 'everything';
