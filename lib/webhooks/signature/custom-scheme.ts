import {
  type WebhookScheme,
  type WebhookSecretForm,
  type WebhookSigningInput,
} from '../../common/webhook-scheme.js';
import {
  checkHeaderName,
  checkScheme,
  checkText,
  hasPart,
  schemeOptions,
  type WrongOption,
} from './scheme-option-checks.js';
import { safeVerdict } from './signature-check.js';

/**
 * A signature that `hmac()` cannot describe.
 *
 * @publicApi
 */
export interface CustomSchemeOptions {
  /** Name for logs and boot messages. */
  readonly name: string;
  /** How secrets are written. @default the whole text as UTF-8, 16 bytes or more */
  readonly secretForm?: WebhookSecretForm;
  /** Whether `verify` refuses a delivery whose signed time is long ago. @default false */
  readonly signsTime?: boolean;
  /**
   * Headers that every genuine delivery has, in any case. A delivery without one of them is refused with 401
   * before its body is read.
   * @default []
   */
  readonly requiredHeaders?: readonly string[];
  /** Checks a delivery; a throw, or any answer but `{ ok: true }`, refuses it. Compare in constant time. */
  readonly verify: WebhookScheme['verify'];
  /** The headers that carry the signature, for tests. */
  readonly sign?: (input: WebhookSigningInput) => Record<string, string>;
}

const OPTIONS = [
  'name',
  'secretForm',
  'secretForm.encoding',
  'secretForm.prefix',
  'secretForm.minBytes',
  'secretForm.maxBytes',
  'signsTime',
  'requiredHeaders',
  'verify',
  'sign',
];

/**
 * Webhooks signed in another way.
 *
 * @throws PaymentsConfigError if `name` or `verify` is missing, or a header's name or `secretForm` is not
 * valid.
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
export function customScheme(options: CustomSchemeOptions): WebhookScheme {
  const { name, secretForm, signsTime, requiredHeaders, verify, sign } = schemeOptions(
    'customScheme',
    options,
  );
  checkScheme('customScheme', options, OPTIONS, (wrong) => {
    checkCustomOptions(wrong, options);
  });
  return {
    name,
    ...(secretForm ? { secretForm } : {}),
    ...(signsTime === undefined ? {} : { signsTime }),
    ...(requiredHeaders ? { requiredHeaders: requiredHeaders.map((header) => header.toLowerCase()) } : {}),
    verify: (webhook, keys, now) => safeVerdict(() => verify(webhook, keys, now)),
    ...(sign ? { sign } : {}),
  };
}

function checkCustomOptions(
  wrong: WrongOption,
  { name, secretForm, signsTime, requiredHeaders = [], verify, sign }: CustomSchemeOptions,
): void {
  if (typeof name !== 'string' || name.trim() === '')
    wrong('name', "must be a name for logs, for example 'partner'");
  if (typeof verify !== 'function')
    wrong('verify', 'must be a function: without one nothing would be checked');
  if (signsTime !== undefined && typeof signsTime !== 'boolean') wrong('signsTime', 'must be true or false');
  if (sign !== undefined && typeof sign !== 'function') wrong('sign', 'must be a function, or left out');
  if (hasPart(wrong, 'secretForm', secretForm)) checkSecretForm(wrong, secretForm);
  if (!Array.isArray(requiredHeaders))
    wrong('requiredHeaders', "must be a list, for example ['x-signature']");
  else for (const header of requiredHeaders) checkHeaderName(wrong, 'requiredHeaders', header);
}

function checkSecretForm(
  wrong: WrongOption,
  { encoding, prefix = '', minBytes = 1, maxBytes = minBytes }: WebhookSecretForm,
): void {
  if (!['utf8', 'base64', 'hex'].includes(encoding)) {
    wrong('secretForm.encoding', "must be 'utf8', 'base64' or 'hex'");
  }
  checkText(wrong, 'secretForm.prefix', prefix, 'whsec_');
  if (!Number.isSafeInteger(minBytes) || minBytes < 1) {
    wrong('secretForm.minBytes', 'must be a whole number of bytes from 1 on: write 16');
  } else if (!Number.isSafeInteger(maxBytes) || maxBytes < minBytes) {
    wrong('secretForm.maxBytes', 'must be a whole number of bytes, not below minBytes');
  }
}
