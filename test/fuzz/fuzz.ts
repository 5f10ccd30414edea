import { type SignatureVerdict, type WebhookScheme } from 'nestjs-payments';
import { type SchemeCase, spellingsOf } from '../support/scheme-cases.js';
import { type Ground, groundOf, type Original, type Request, requestOf, TOLERANCE_MS } from './deliveries.js';
import { MUTATIONS } from './mutations.js';
import { Random } from '../support/random.js';

/** What one kind of mutation led to. */
export interface Tally {
  readonly sent: number;
  readonly accepted: number;
}

export interface FuzzReport {
  readonly tallies: ReadonlyMap<string, Tally>;
  /** The first request that was judged wrongly, in words; undefined: none was. */
  readonly finding: string | undefined;
}

const NAMES = Object.keys(MUTATIONS);
const NEW_GROUND_AFTER = 20_000;

/** Sends mutated requests to the schemes until one is judged wrongly. */
export function fuzz(subjects: readonly SchemeCase[], runs: number, seed: number): FuzzReport {
  const random = new Random(seed);
  const tallies = new Map(NAMES.map((name) => [name, { sent: 0, accepted: 0 }]));
  let grounds: readonly Ground[] = [];
  for (let run = 0; run < runs; run += 1) {
    if (run % NEW_GROUND_AFTER === 0) grounds = subjects.map((subject) => groundOf(subject, random));
    const ground = random.pick(grounds);
    const original = random.pick(ground.originals);
    const request = requestOf(ground, original);
    const names = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => random.pick(NAMES));
    for (const name of names) MUTATIONS[name]!(request, random, ground, original);
    const tally = tallies.get(names[0]!)!;
    tally.sent += 1;
    const outcome = outcomeOf(ground.subject.scheme, request);
    if (outcome === 'accepted') tally.accepted += 1;
    const unchanged = names.every((name) => name === 'nothing changed');
    if (isRight(outcome, ground, request, unchanged)) continue;
    return { tallies, finding: told(run, ground, request, names, outcome) };
  }
  return { tallies, finding: undefined };
}

type Outcome = 'accepted' | 'refused' | 'threw' | 'no verdict';

function outcomeOf(scheme: WebhookScheme, { headers, body, keys, now }: Request): Outcome {
  try {
    const verdict = scheme.verify({ headers, body }, keys, now) as SignatureVerdict;
    if (verdict.ok) return 'accepted';
    return typeof verdict.reason === 'string' ? 'refused' : 'no verdict';
  } catch {
    return 'threw';
  }
}

function isRight(outcome: Outcome, ground: Ground, request: Request, unchanged: boolean): boolean {
  if (outcome === 'accepted') return isGenuine(ground, request);
  return outcome === 'refused' && !(unchanged && isGenuine(ground, request));
}

/** Whether the request is one of the originals: signed with a key of the account, for now, byte for byte the same. */
function isGenuine({ subject, originals }: Ground, { headers, body, keys, now }: Request): boolean {
  const single = (name: string): string | undefined => {
    const values = headers.get(name) ?? [];
    return values.length === 1 ? values[0] : undefined;
  };
  return originals.some((original) => {
    if (!original.body.equals(body) || !keys.some((key) => signsLike(key, original.key))) return false;
    if (original.key.every((byte) => byte === 0)) return false;
    if (subject.unit !== undefined && !isOfNow(original, now)) return false;
    return spellingsOf(subject, original.signature).some((signature) =>
      Object.entries(subject.headers(signature, original)).every(([name, right]) => {
        const given = single(name);
        if (given === undefined) return false;
        return name === subject.header ? holds(subject, given, right) : given === right;
      }),
    );
  });
}

function isOfNow({ wellWritten, moment }: Original, now: number): boolean {
  return wellWritten && now - moment <= TOLERANCE_MS && moment - now <= TOLERANCE_MS;
}

/** Whether a signature header says what it should: nothing else, or, if the scheme allows more, exactly this among it. */
function holds({ separator, pairs }: SchemeCase, given: string, right: string): boolean {
  if (separator !== undefined) return given.split(separator).includes(right);
  if (pairs !== true) return given === right;
  const items = given.split(',');
  const times = items.filter((item) => item.trim().startsWith('t='));
  return times.length === 1 && right.split(',').every((item) => items.includes(item));
}

function told(
  run: number,
  { subject }: Ground,
  request: Request,
  names: readonly string[],
  outcome: Outcome,
): string {
  const { headers, body, now } = request;
  const shown = JSON.stringify({ headers: [...headers], body: body.toString('base64'), now });
  return `run ${run}: ${subject.name} ${outcome} after ${names.join(', ')}: ${shown}`;
}

/** HMAC fills a key up with zero bytes, so two keys that differ only in zeros at their end are one key. */
function signsLike(one: Buffer, other: Buffer): boolean {
  const length = Math.max(one.length, other.length);
  const filled = (key: Buffer): Buffer => Buffer.concat([key, Buffer.alloc(length - key.length)]);
  return filled(one).equals(filled(other));
}
