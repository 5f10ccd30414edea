import { type WebhookScheme, type WebhookSigningInput } from '../../common/webhook-scheme.js';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';
import { safeVerdict } from './safe-verdict.js';

/**
 * A signature that `hmac()` cannot describe.
 *
 * @publicApi
 */
export interface CustomSchemeOptions {
  /** Name for logs and boot messages. */
  readonly name: string;
  /** Checks a delivery; a throw, or any answer but `{ ok: true }`, refuses it. Compare in constant time. */
  readonly verify: WebhookScheme['verify'];
  /** The headers that carry the signature, for tests. */
  readonly sign?: (input: WebhookSigningInput) => Record<string, string>;
}

/**
 * Webhooks signed in a way of their own.
 *
 * @throws PaymentsConfigError where `name` or `verify` is missing.
 *
 * @example
 * ```ts
 * customScheme({
 *   name: 'partner',
 *   verify: ({ headers, body }, keys) =>
 *     keys.some((key) => signedBy(key, body, headers.get('x-partner-signature')?.[0]))
 *       ? { ok: true }
 *       : { ok: false, reason: 'no signature matches' },
 * })
 * ```
 *
 * @publicApi
 */
export function customScheme({ name, verify, sign }: CustomSchemeOptions): WebhookScheme {
  if (typeof name !== 'string' || name.trim() === '')
    wrong('name', "must be a name for logs, for example 'partner'");
  if (typeof verify !== 'function')
    wrong('verify', 'must be a function: without one nothing would be checked');
  return {
    name,
    verify: (webhook, keys, now) => safeVerdict(() => verify(webhook, keys, now)),
    ...(sign ? { sign } : {}),
  };
}

function wrong(option: string, problem: string): never {
  throw new PaymentsConfigError(`The option ${option} of customScheme() ${problem}.`);
}
