import { type Resolved } from './option.js';
import { type ResolvedCredentials } from './resolve-credentials.js';
import { type OPTIONS, type WEBHOOK_OPTIONS } from './option-defaults.js';

/** The options of one account after validation, with defaults, and amounts in cents. */
export interface ResolvedPaymentsOptions extends ResolvedCredentials, Resolved<typeof OPTIONS> {
  readonly account: string;
  /** Undefined: the account receives no webhooks. */
  readonly webhooks: ResolvedWebhookOptions | undefined;
}

export type ResolvedRetryOptions = ResolvedPaymentsOptions['retry'];
/** Undefined: no cap. */
export type ResolvedRateOptions = ResolvedPaymentsOptions['rate'];
export type ResolvedProbeWaits = NonNullable<ResolvedPaymentsOptions['probe']['collection']>;
export type ResolvedBankDirectory = NonNullable<ResolvedPaymentsOptions['banks']>;
export type ResolvedLimits = ResolvedPaymentsOptions['limits']['collection'];

/** The section `webhooks` after validation. */
export interface ResolvedWebhookOptions extends Omit<
  Resolved<typeof WEBHOOK_OPTIONS>,
  'secrets' | 'retentionDays'
> {
  readonly keys: readonly ResolvedWebhookKey[];
  /** Infinity: the inbox forgets nothing. */
  readonly retentionMs: number;
  /** Warnings about accepted options, for the log at boot. */
  readonly warnings: readonly string[];
}

export interface ResolvedWebhookKey {
  /** The key; a function, so that `util.inspect` shows no byte of it. */
  readonly bytes: () => Uint8Array;
  /** Milliseconds since 1970; undefined: valid until removed. */
  readonly notAfter: number | undefined;
  /** Whether it has fewer bytes than its scheme asks for. */
  readonly isShort: boolean;
}
