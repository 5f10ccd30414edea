import { type SchemeCase, signatureOf, type SignedTexts, timeText } from '../support/scheme-cases.js';
import { type Random } from '../support/random.js';

export const NOW = 1_800_000_000_000;
export const TOLERANCE_MS = 300_000;
const PER_SCHEME = 96;
const ID_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

/** A delivery that somebody signed, with a right key or not. */
export interface Original extends SignedTexts {
  readonly body: Buffer;
  readonly key: Buffer;
  readonly signature: string;
  /** The moment that `time` means. */
  readonly moment: number;
  /** Whether `time` is written as the scheme wants it. */
  readonly wellWritten: boolean;
}

/** What reaches the verifier; mutations change it in place. */
export interface Request {
  readonly headers: Map<string, string[]>;
  body: Buffer;
  keys: Buffer[];
  now: number;
}

/** One scheme with the keys of its account, and what was signed for it. */
export interface Ground {
  readonly subject: SchemeCase;
  readonly keys: readonly Buffer[];
  readonly originals: readonly Original[];
}

export function groundOf(subject: SchemeCase, random: Random): Ground {
  const keys = [subject.key, random.bytes(32)];
  const strangers = [
    random.bytes(32),
    Buffer.alloc(0),
    Buffer.from('\0'),
    Buffer.from(subject.key.subarray(1)),
  ];
  const originals = Array.from({ length: PER_SCHEME }, () => {
    const key = random.below(8) === 0 ? random.pick(strangers) : random.pick(keys);
    return originalOf(subject, key, random);
  });
  return { subject, keys, originals };
}

export function requestOf({ subject, keys }: Ground, original: Original): Request {
  const headers = new Map<string, string[]>();
  for (const [name, value] of Object.entries(subject.headers(original.signature, original))) {
    headers.set(name, [value]);
  }
  return { headers, body: original.body, keys: [...keys], now: NOW };
}

function originalOf(subject: SchemeCase, key: Buffer, random: Random): Original {
  const moment = momentOf(subject.unit, random);
  const right = timeText(subject.unit, moment);
  const wellWritten = random.below(8) !== 0;
  const texts = {
    time: wellWritten ? right : random.pick(BADLY_WRITTEN)(right),
    id: `msg_${random.text(ID_LETTERS, 1 + random.below(30))}`,
  };
  const body = random.pick(BODIES)(random);
  return { ...texts, body, key, moment, wellWritten, signature: signatureOf(subject, texts, body, { key }) };
}

/** Mostly near to now, often at the very edge, sometimes far away; whole seconds if the unit is one. */
function momentOf(unit: SchemeCase['unit'], random: Random): number {
  const offset = random.pick([
    0,
    random.below(TOLERANCE_MS),
    -random.below(TOLERANCE_MS),
    TOLERANCE_MS,
    -TOLERANCE_MS,
    TOLERANCE_MS + 1_000,
    -TOLERANCE_MS - 1_000,
    random.below(2 ** 31) * 100,
    -random.below(2 ** 31) * 100,
  ]);
  return unit === 's' ? Math.floor((NOW + offset) / 1_000) * 1_000 : NOW + offset;
}

const BADLY_WRITTEN: readonly ((right: string) => string)[] = [
  (right) => `+${right}`,
  (right) => `0${right}`,
  (right) => `${right}.0`,
  (right) => `${right}.`,
  (right) => ` ${right}`,
  (right) => `${right} `,
  (right) => `${right}abc`,
  (right) => `-${right}`,
  (right) => `0x${Number.parseInt(right, 10).toString(16)}`,
  (right) => Number.parseInt(right, 10).toExponential(),
  () => '',
  () => 'NaN',
];

const BODIES: readonly ((random: Random) => Buffer)[] = [
  (random) =>
    Buffer.from(
      JSON.stringify({
        event: random.pick(['payment.success', 'payment.failed']),
        data: {
          reference: `order-${random.below(1_000)}`,
          amount: `${random.below(1e6)}.50`,
          name: 'Zoë 张 😀',
        },
      }),
    ),
  (random) => Buffer.from(JSON.stringify({ n: random.below(10), list: [1, 2, { a: '=,. ' }] }, null, 2)),
  (random) => random.bytes(random.below(60)),
  () => Buffer.from('{}'),
  () => Buffer.alloc(0),
];
