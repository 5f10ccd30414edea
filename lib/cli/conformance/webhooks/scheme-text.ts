import {
  type HmacFacts,
  type SignedPartFact,
  type WebhookFacts,
} from '../../../gateway-profile/gateway-profile.js';
import { LEARNT_TOLERANCE_SECONDS } from '../../../webhooks/signature/learnt-scheme.js';

/** A way of signing in one clause: "HMAC-SHA256, hex, x-signature, over the body". */
export function schemeClause(facts: WebhookFacts): string {
  switch (facts.scheme) {
    case 'hmac':
      return hmacClause(facts);
    case 'standardWebhooks':
      return `Standard Webhooks, ${facts.prefix ?? 'webhook'}-signature, over id, time and body`;
    case 'stripeStyle':
      return `HMAC-SHA256, hex, ${facts.header} with t= and ${facts.signatureKey ?? 'v1'}=, over time and body`;
  }
}

/** What the person has to decide who copies the options: no run sees the last redelivery. */
const TOLERANCE_COMMENT = [
  '  // A webhook that comes again has the signed time of its first try.',
  '  // Let toleranceSeconds cover all tries of a webhook, or the package refuses the late ones.',
];

/**
 * The option `webhooks` of `PaymentsModule` as TypeScript; the name of its scheme has to be imported.
 *
 * @param isSignedOnce A webhook that comes again has the signed time of its first try.
 */
export function webhooksOptionText(facts: WebhookFacts, isSignedOnce: boolean): string {
  const isOld = isSignedOnce && (facts.scheme !== 'hmac' || facts.timestamp !== undefined);
  return [
    '{',
    ...(isOld ? TOLERANCE_COMMENT : []),
    `  scheme: ${schemeText(facts, isOld).replaceAll('\n', '\n  ')},`,
    `  secrets: [${secretText(facts)}],`,
    '}',
  ].join('\n');
}

function hmacClause({ algorithm, encoding, header, prefix, payload, timestamp }: HmacFacts): string {
  const over = payload.map((part) => (typeof part === 'object' ? part.literal : `{${part}}`)).join('');
  return [
    `HMAC-${algorithm.toUpperCase()}`,
    encoding,
    prefix === undefined ? header : `${header} with ${prefix}`,
    payload.length === 1 ? 'over the body' : `over ${over}`,
    ...(timestamp ? [`time in ${timestamp.header}`] : []),
  ].join(', ');
}

/** @param isOld The tolerance is written although it is the usual one. */
function schemeText(facts: WebhookFacts, isOld: boolean): string {
  const tolerance = isOld ? [`toleranceSeconds: ${LEARNT_TOLERANCE_SECONDS}`] : [];
  switch (facts.scheme) {
    case 'hmac':
      return callText('hmac', hmacOptions(facts));
    case 'standardWebhooks':
      return callText('standardWebhooks', [...option('prefix', facts.prefix), ...tolerance]);
    case 'stripeStyle':
      return callText('stripeStyle', [
        ...option('header', facts.header),
        ...option('unit', facts.unit),
        ...option('signatureKey', facts.signatureKey),
        ...option('separator', facts.separator),
        ...tolerance,
      ]);
  }
}

function hmacOptions({
  header,
  algorithm,
  encoding,
  prefix,
  payload,
  timestamp,
  id,
}: HmacFacts): readonly string[] {
  const time = timestamp && `header: ${quoted(timestamp.header)}, unit: ${quoted(timestamp.unit)}`;
  return [
    ...option('header', header),
    ...option('algorithm', algorithm),
    ...option('encoding', encoding),
    ...option('prefix', prefix),
    ...(time === undefined ? [] : [`timestamp: { ${time}, toleranceSeconds: ${LEARNT_TOLERANCE_SECONDS} }`]),
    ...(id ? [`id: { header: ${quoted(id.header)} }`] : []),
    `payload: [${payload.map(partText).join(', ')}]`,
  ];
}

function callText(name: string, options: readonly string[]): string {
  if (options.length === 0) return `${name}()`;
  return [`${name}({`, ...options.map((line) => `  ${line},`), '})'].join('\n');
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`${name}: ${quoted(value)}`];
}

function partText(part: SignedPartFact): string {
  return typeof part === 'object' ? `{ literal: ${quoted(part.literal)} }` : quoted(part);
}

function secretText({ secretEncoding }: WebhookFacts): string {
  const value = "process.env.PAYMENTS_WEBHOOK_SECRET ?? ''";
  return secretEncoding === undefined ? value : `{ value: ${value}, encoding: ${quoted(secretEncoding)} }`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
