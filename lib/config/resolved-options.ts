import { type HttpModuleOptions } from '@nestjs/axios';
import { type PaymentsEnvironment, type PaymentFamily } from '../common/vocabulary.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { type WebhookOptions, type UnknownReferences } from './webhook-options.js';
import { type AmountFormat } from './payments-options.js';

/** The options of one account after validation: every default filled in, every amount in cents. */
export interface ResolvedPaymentsOptions {
  readonly account: string;
  readonly environment: PaymentsEnvironment;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string | undefined;
  readonly auth: 'headers' | 'bearer';
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly retry: ResolvedRetryOptions;
  readonly rate: ResolvedRateOptions;
  /** Undefined: no probe for this family. */
  readonly probe: Readonly<Record<PaymentFamily, ResolvedProbeWaits | undefined>>;
  readonly recoveryWindowMs: number;
  readonly staleAfterMs: number;
  /** Undefined: the gateway cannot be asked. */
  readonly statusPaths: Readonly<Record<PaymentFamily, string | undefined>>;
  readonly networks: ReadonlySet<string> | undefined;
  readonly limits: { readonly collection: ResolvedLimits; readonly disbursement: ResolvedLimits };
  readonly amountFormat: { readonly collections: AmountFormat; readonly disbursements: AmountFormat };
  readonly refusalCodes: ReadonlySet<string>;
  /** Undefined: the gateway is asked every time. */
  readonly banks: ResolvedBankDirectory | undefined;
  readonly http: HttpModuleOptions;
  /** Undefined: the application named none, and the module uses memory. */
  readonly storage: PaymentsStorage | undefined;
  readonly webhooks: ResolvedWebhookOptions | undefined;
}

export interface ResolvedRetryOptions {
  readonly maxAttempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

/** Undefined: no cap. */
export interface ResolvedRateOptions {
  readonly perSecond: number | undefined;
  readonly concurrency: number | undefined;
}

export interface ResolvedProbeWaits {
  readonly afterAnswerMs: number;
  readonly afterSilenceMs: number;
}

export interface ResolvedBankDirectory {
  readonly maxAgeMs: number;
  readonly staleIfErrorMs: number;
}

export interface ResolvedLimits {
  readonly minCents: bigint | undefined;
  readonly maxCents: bigint | undefined;
}

export interface ResolvedWebhookOptions {
  readonly scheme: WebhookScheme;
  readonly keys: readonly ResolvedWebhookKey[];
  readonly bodyLimit: number;
  /** Undefined: the package reads the request itself. */
  readonly rawBody: WebhookOptions['rawBody'];
  readonly bodyTimeoutMs: number;
  readonly unverifiedBytesLimit: number;
  readonly handlerTimeoutMs: number;
  readonly leaseMs: number;
  readonly inFlightWaitMs: number;
  /** Infinity: nothing is forgotten. */
  readonly retentionMs: number;
  readonly unknownReferences: UnknownReferences;
  readonly supersede: readonly (readonly [from: string, to: string])[];
  /** Sentences for the log at boot about options that are taken, and that somebody should know of. */
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
