import { isRecord } from '../common/json-object.js';
import {
  type HmacFacts,
  type StandardWebhooksFacts,
  type StripeStyleFacts,
  type WebhookFacts,
} from './gateway-profile.js';
import {
  checkForm,
  type Fields,
  type FormOf,
  oneOf,
  optional,
  type Report,
  type Rule,
} from './profile-form.js';

const HEADER: Rule = [
  (value) => typeof value === 'string' && /^[!#$%&'*+.^_`|~\da-z-]+$/.test(value),
  'must be the name of a header in lower case: write "x-signature"',
];
const TEXT: Rule = [(value) => typeof value === 'string' && value !== '', 'must be text'];
const HEADER_FIELDS: Rule = [isRecord, 'must be an object with the name of the header'];

const HMAC: FormOf<HmacFacts> = {
  scheme: oneOf('hmac'),
  header: HEADER,
  algorithm: oneOf('sha256', 'sha384', 'sha512'),
  encoding: oneOf('hex', 'base64', 'base64url'),
  prefix: optional(TEXT),
  payload: [
    (value) => Array.isArray(value) && value.every(isSignedPart) && value.includes('body'),
    'must be a list with "body", and maybe "timestamp", "id" or { "literal": "." }',
  ],
  timestamp: optional(HEADER_FIELDS),
  id: optional(HEADER_FIELDS),
  secretEncoding: optional(oneOf('base64', 'hex')),
};

const STANDARD_WEBHOOKS: FormOf<StandardWebhooksFacts> = {
  scheme: oneOf('standardWebhooks'),
  prefix: optional(HEADER),
  secretEncoding: optional(oneOf('utf8', 'hex')),
};

const STRIPE_STYLE: FormOf<StripeStyleFacts> = {
  scheme: oneOf('stripeStyle'),
  header: HEADER,
  unit: optional(oneOf('ms')),
  signatureKey: optional(TEXT),
  separator: optional(TEXT),
  secretEncoding: optional(oneOf('base64', 'hex')),
};

const SCHEMES: Readonly<Record<WebhookFacts['scheme'], FormOf<Fields>>> = {
  hmac: HMAC,
  standardWebhooks: STANDARD_WEBHOOKS,
  stripeStyle: STRIPE_STYLE,
};

const TIMESTAMP: FormOf<NonNullable<HmacFacts['timestamp']>> = {
  header: HEADER,
  unit: oneOf('s', 'ms', 'iso'),
};
const ID: FormOf<NonNullable<HmacFacts['id']>> = { header: HEADER };

/** Reports what is wrong with the part of a profile that says how webhooks are signed. */
export function checkWebhooks(webhooks: Fields, report: Report): void {
  const { scheme, payload, timestamp, id } = webhooks;
  const [isScheme, problem] = oneOf(...Object.keys(SCHEMES));
  if (!isScheme(scheme)) {
    report('webhooks.scheme', problem);
    return;
  }
  checkForm(SCHEMES[scheme as WebhookFacts['scheme']], webhooks, 'webhooks.', report);
  if (scheme !== 'hmac') return;
  if (isRecord(timestamp)) checkForm(TIMESTAMP, timestamp, 'webhooks.timestamp.', report);
  if (isRecord(id)) checkForm(ID, id, 'webhooks.id.', report);
  for (const [name, described] of Object.entries({ timestamp, id })) {
    if (Array.isArray(payload) && payload.includes(name) !== (described !== undefined))
      report(`webhooks.${name}`, `must be there if the payload has "${name}", and only then`);
  }
}

function isSignedPart(part: unknown): boolean {
  if (isRecord(part)) return Object.keys(part).length === 1 && typeof part['literal'] === 'string';
  return part === 'body' || part === 'timestamp' || part === 'id';
}
