import { type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { type FoundSignature } from '../../webhooks/signature-search.js';
import { LEARNT_TOLERANCE_SECONDS } from '../../../webhooks/signature/learnt-scheme.js';
import { type CapturedDelivery, evidenceOf } from './captured-delivery.js';
import { differentBodies, type SigningWay, signingWays } from './delivery-ways.js';
import { schemeClause } from './scheme-text.js';
import { clockClause, firstTriesOffTime } from './signature-time.js';
import { signedSo } from './signed-so.js';
import { twinOf } from './signature-twin.js';
import { type Found, silent } from './found.js';
import { type WebhooksHeard } from './webhooks-heard.js';

const OPTION = 'webhooks.scheme';
/** One delivery that fits proves too little. */
const FEWEST_BODIES = 2;

/** What the signatures showed, and the scheme if it is known. */
export interface SignatureFound {
  readonly conclusion: Found;
  readonly webhooks?: WebhookFacts;
}

type HeardSignatures = Pick<WebhooksHeard, 'deliveries' | 'secrets' | 'asked'>;

/** Learns how webhooks are signed: from two different bodies that one scheme explains, and that it refuses if they are changed. */
export function learnSignature(heard: HeardSignatures): SignatureFound {
  const { deliveries, secrets } = heard;
  if (secrets.length === 0) return { conclusion: silent('needs PAYMENTS_WEBHOOK_SECRET') };
  if (deliveries.length === 0) return { conclusion: silent('no webhook of this run came') };
  const ways = signingWays(deliveries, secrets);
  const taken = mostExplained(ways.filter(({ facts }) => facts));
  const refused = mostExplained(ways.filter(({ facts }) => !facts));
  if (taken?.facts && differentBodies(taken) >= FEWEST_BODIES) {
    const twin = twinOf(taken, taken.facts, ways, secrets);
    return twin ? { conclusion: unclear(taken, taken.facts, twin) } : learnt(taken, taken.facts, ways, heard);
  }
  if (refused && differentBodies(refused) >= FEWEST_BODIES && !taken)
    return { conclusion: impossible(refused) };
  if (taken ?? refused) {
    return {
      conclusion: silent(
        'one body alone fits a way of signing: webhooks with two different bodies are needed',
      ),
    };
  }
  return {
    conclusion: {
      ...silent('no usual way of signing explains a webhook: another secret signs them, or another way'),
      evidence: evidenceOf(deliveries),
    },
  };
}

/** The same signatures, read in another way that fits all of these deliveries as well. */
function unclear({ deliveries }: SigningWay, facts: WebhookFacts, twin: WebhookFacts): Found {
  const says = `two ways of reading the signature fit: ${schemeClause(facts)}, or ${schemeClause(twin)}`;
  return { ...silent(says), evidence: evidenceOf(deliveries) };
}

function learnt(
  { deliveries }: SigningWay,
  facts: WebhookFacts,
  ways: readonly SigningWay[],
  { secrets, asked }: HeardSignatures,
): SignatureFound {
  const others = ways.flatMap((way) => way.deliveries).filter((delivery) => !deliveries.includes(delivery));
  if (others.length > 0) {
    const says = `some webhooks are signed as ${schemeClause(facts)}, others in another way`;
    return { conclusion: differs(says, [...deliveries, ...others]) };
  }
  const signed = signedSo(deliveries, facts, secrets);
  const off = firstTriesOffTime(signed, { deliveries, asked });
  if (off.length > 0) {
    const says = `${schemeClause(facts)}; ${clockClause(off)}, and the package takes ${LEARNT_TOLERANCE_SECONDS} s at most`;
    return { conclusion: differs(says, deliveries) };
  }
  const says = [schemeClause(facts), clockClause(signed)].filter((clause) => clause !== '').join('; ');
  const evidence = evidenceOf(deliveries);
  return { conclusion: { verdict: 'learnt', says, evidence, option: OPTION }, webhooks: facts };
}

function impossible({ found, deliveries }: SigningWay): Found {
  return differs(`the package refuses it: ${reasonOf(found)}`, deliveries);
}

function differs(says: string, deliveries: readonly CapturedDelivery[]): Found {
  return { verdict: 'differs', says, evidence: evidenceOf(deliveries), option: OPTION };
}

function reasonOf({ bodyChange, algorithm, encoding, payload, secret }: FoundSignature): string {
  if (algorithm === 'sha1') return 'HMAC-SHA1';
  // Its reason in brackets is about files, which nobody edits here.
  if (bodyChange !== undefined)
    return `the signature is that of the body ${bodyChange.replace(/ \(.*\)$/, '')}`;
  if (secret === 'after whsec_ as base64') return 'the key is the part of the secret after whsec_, in base64';
  return `no scheme of it fits HMAC-${algorithm.toUpperCase()} over ${payload} in ${encoding === 'HEX' ? 'upper-case hex' : encoding}`;
}

/**
 * The way that explains most bodies, then most deliveries; of several, one that signs a time and so stops replays; then one with a
 * name, which no gateway has by chance; then the simplest.
 */
function mostExplained(ways: readonly SigningWay[]): SigningWay | undefined {
  const rank = (way: SigningWay): readonly number[] => [
    differentBodies(way),
    way.deliveries.length,
    Number(way.found.payload.includes('{timestamp}')),
    Number(hasName(way)),
  ];
  return ways.reduce<SigningWay | undefined>(
    (best, way) => (best && !isAbove(rank(way), rank(best)) ? best : way),
    undefined,
  );
}

function isAbove(one: readonly number[], other: readonly number[]): boolean {
  const place = one.findIndex((value, index) => value !== other[index]);
  return place >= 0 && (one[place] ?? 0) > (other[place] ?? 0);
}

function hasName({ facts }: SigningWay): boolean {
  return facts !== undefined && facts.scheme !== 'hmac';
}
