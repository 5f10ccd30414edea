/** A statement that a payment or a webhook sends. */
export interface StatementRate {
  readonly serverMs: number;
  readonly writes: boolean;
}

/** What was measured; units are in the names: milliseconds of CPU or of waiting, and bytes. */
export interface Rates {
  readonly server: { readonly groupMs: number; readonly roundTripMs: number; readonly flushMs: number };
  readonly payment: {
    readonly processMs: number;
    readonly statements: Readonly<Record<'before' | 'beside' | 'after', readonly StatementRate[]>>;
  };
  readonly webhook: { readonly processMs: number; readonly statements: readonly StatementRate[] };
  readonly purge: { readonly serverMs: number; readonly walBytes: number };
  readonly bytes: Readonly<Record<'stored' | 'tombstone' | 'walOfPayment' | 'walOfWebhook', number>>;
}

export declare const RATES: Rates;
