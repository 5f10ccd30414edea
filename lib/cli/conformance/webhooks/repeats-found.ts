import { type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { type CapturedDelivery, evidenceOf } from './captured-delivery.js';
import { triesByEvent } from './delivery-tries.js';
import { type SignatureFound } from './delivery-signature.js';
import { toldName } from './event-shape.js';
import { signatureHeader, signedSo } from './signed-so.js';
import { type Found, silent } from './found.js';
import { type WebhooksHeard } from './webhooks-heard.js';

/** Headers that any sender or proxy may set, and that mean nothing to the package. */
const USUAL_HEADER =
  /^(?:host|connection|content-(?:type|length|encoding)|transfer-encoding|user-agent|accept(?:-.*)?|date|cache-control|via|forwarded|x-forwarded-.*|x-real-ip|traceparent|tracestate|baggage|cf-.*|cdn-loop|keep-alive|pragma|true-client-ip)$/;

/** Signed times count seconds at the coarsest, and each try has its own way through the network. */
const CLEARLY_LATER_MS = 2_000;

/** Whether an event that comes again has the same bytes and the same signature. An old signed time may be too old for the package. */
export function repeatedBytes({ deliveries, secrets }: WebhooksHeard, { webhooks }: SignatureFound): Found {
  const repeated = [...triesByEvent(deliveries).values()]
    .filter(({ length }) => length > 1)
    .map((tries) => tries.flatMap(({ copies }) => copies));
  if (repeated.length === 0) return silent('no webhook came twice');
  const evidence = evidenceOf(repeated.flat());
  const areSame = repeated.every(([first, ...others]) =>
    others.every(({ body }) => first?.body.equals(body)),
  );
  const says = areSame
    ? 'a webhook that comes again has the same bytes'
    : 'a webhook that comes again has other bytes';
  const signature = signatureClause(webhooks, repeated);
  const value = webhooks && signedAgain(webhooks, repeated, secrets);
  const isOld = value === 'as before';
  return {
    verdict: !areSame ? 'differs' : isOld ? 'learnt' : 'held',
    says: [says, ...signature, ...(isOld ? ['the signed time of its first try'] : [])].join(' and '),
    ...(value && { fact: { name: 'repeated webhook', value } }),
    ...(isOld && { option: 'toleranceSeconds' }),
    evidence,
  };
}

/** Undefined: no time is signed, or all tries are too near to each other, or events differ. */
function signedAgain(
  webhooks: WebhookFacts,
  repeated: readonly (readonly CapturedDelivery[])[],
  secrets: readonly string[],
): 'signed again' | 'as before' | undefined {
  const values = repeated.flatMap((deliveries) => {
    const signed = signedSo(deliveries, webhooks, secrets);
    const [first, last] = [signed[0], signed.at(-1)];
    if (!first || !last || first.signedAt === undefined || signed.length < deliveries.length) return [];
    if (first.signedAt !== last.signedAt) return ['signed again' as const];
    return last.delivery.machineTime - first.delivery.machineTime >= CLEARLY_LATER_MS
      ? ['as before' as const]
      : [];
  });
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}

/** Headers that neither the package nor the usual senders know. */
export function otherHeaders({ deliveries: own }: WebhooksHeard, { webhooks }: SignatureFound): Found {
  if (own.length === 0) return silent('no webhook of this run came');
  const known = webhooks ? schemeHeaders(webhooks) : [];
  const names = new Set(own.flatMap(({ headers }) => [...headers.keys()]));
  const others = [...names].filter((name) => !USUAL_HEADER.test(name) && !known.includes(name));
  const evidence = evidenceOf(own);
  if (others.length === 0)
    return { verdict: 'held', says: 'webhooks have no header that is not known', evidence };
  const told = [...new Set(others.map(toldName))];
  return {
    verdict: 'differs',
    says: `webhooks have headers that are not known: ${told.join(', ')}`,
    evidence,
  };
}

function schemeHeaders(facts: WebhookFacts): readonly string[] {
  const header = signatureHeader(facts);
  if (facts.scheme === 'stripeStyle') return [header];
  if (facts.scheme === 'hmac') return [header, facts.timestamp?.header ?? header, facts.id?.header ?? header];
  const prefix = facts.prefix ?? 'webhook';
  return [header, `${prefix}-id`, `${prefix}-timestamp`];
}

function signatureClause(
  webhooks: WebhookFacts | undefined,
  repeated: readonly (readonly CapturedDelivery[])[],
): readonly string[] {
  if (!webhooks) return [];
  const name = signatureHeader(webhooks);
  const value = ({ headers }: CapturedDelivery): string => (headers.get(name) ?? []).join();
  const isSame = repeated.every((deliveries) => new Set(deliveries.map(value)).size === 1);
  return [isSame ? 'the same signature' : 'a new signature'];
}
