import {
  type HmacFacts,
  type SignedPartFact,
  type WebhookFacts,
} from '../../../gateway-profile/gateway-profile.js';
import { type FoundSignature } from '../../webhooks/signature-search.js';

/** A prefix goes into the profile and into the options: short, without what a terminal would obey, and without a time. */
const PREFIX = /^(?!.*(?:\d{10}|\d{4}-\d\d-\d\d))[\x20-\x7e]{0,32}$/;
/** The text before a signature in a header as Stripe fills it. */
const STRIPE_STYLE = /^t=\d+,(?:.*,)?(?<key>[a-z]\w*)=$/i;
const STRIPE_PAYLOAD = /^\{timestamp\}(?<separator>\D+)\{body\}$/;
/** The text before a signature of Standard Webhooks: others may stand before it. */
const STANDARD_STYLE = /^(?:.* )?v1,$/;

/** The options of the package that describe a signature; undefined: it has none for it. */
export function schemeFacts(found: FoundSignature): WebhookFacts | undefined {
  if (found.bodyChange !== undefined) return undefined;
  return standardFacts(found) ?? stripeFacts(found) ?? hmacFacts(found);
}

function standardFacts(found: FoundSignature): WebhookFacts | undefined {
  const { header, before, algorithm, encoding, payload, timestampHeader, timestampUnit, idHeader, secret } =
    found;
  const prefix = /^(?<prefix>.+)-signature$/.exec(header)?.groups?.['prefix'];
  const isStandard =
    algorithm === 'sha256' &&
    encoding === 'base64' &&
    payload === '{id}.{timestamp}.{body}' &&
    STANDARD_STYLE.test(before) &&
    timestampUnit === 's' &&
    timestampHeader === `${prefix}-timestamp` &&
    idHeader === `${prefix}-id`;
  if (!isStandard || prefix === undefined) return undefined;
  return {
    scheme: 'standardWebhooks',
    ...(prefix !== 'webhook' && { prefix }),
    ...((secret === 'utf8' || secret === 'hex') && { secretEncoding: secret }),
  };
}

function stripeFacts({
  header,
  before,
  algorithm,
  encoding,
  payload,
  timestampHeader,
  timestampUnit,
  secret,
}: FoundSignature): WebhookFacts | undefined {
  const signatureKey = STRIPE_STYLE.exec(before)?.groups?.['key'];
  const separator = STRIPE_PAYLOAD.exec(payload)?.groups?.['separator'];
  if (timestampHeader !== undefined || algorithm !== 'sha256' || encoding !== 'hex') return undefined;
  if (signatureKey === undefined || separator === undefined) return undefined;
  const written = secretEncodingOf(secret);
  if (written === 'impossible') return undefined;
  return {
    scheme: 'stripeStyle',
    header,
    ...(timestampUnit === 'ms' && { unit: 'ms' }),
    ...(signatureKey !== 'v1' && { signatureKey }),
    ...(separator !== '.' && { separator }),
    ...(written && { secretEncoding: written }),
  };
}

function hmacFacts(found: FoundSignature): HmacFacts | undefined {
  const { header, before, algorithm, encoding, payload, timestampHeader, timestampUnit, idHeader, secret } =
    found;
  const written = secretEncodingOf(secret);
  const isTimeElsewhere = payload.includes('{timestamp}') && timestampHeader === undefined;
  if (algorithm === 'sha1' || written === 'impossible' || isTimeElsewhere || !PREFIX.test(before))
    return undefined;
  return {
    scheme: 'hmac',
    header,
    algorithm,
    encoding: encoding === 'HEX' ? 'hex' : encoding,
    ...(before !== '' && { prefix: before }),
    payload: partsOf(payload),
    ...(timestampHeader !== undefined && {
      timestamp: { header: timestampHeader, unit: timestampUnit ?? 's' },
    }),
    ...(idHeader !== undefined && { id: { header: idHeader } }),
    ...(written && { secretEncoding: written }),
  };
}

/** A key after `whsec_` has no name in the options of these schemes. */
function secretEncodingOf(secret: FoundSignature['secret']): 'base64' | 'hex' | 'impossible' | undefined {
  if (secret === 'utf8') return undefined;
  return secret === 'base64' || secret === 'hex' ? secret : 'impossible';
}

function partsOf(payload: string): readonly SignedPartFact[] {
  return payload
    .split(/(\{\w+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const name = /^\{(body|timestamp|id)\}$/.exec(piece)?.[1];
      return name === undefined ? { literal: piece } : (name as 'body' | 'timestamp' | 'id');
    });
}
