import { type Random } from '../support/random.js';

const STRANGE = [
  '',
  ' ',
  '\t',
  '\n',
  '\0',
  '=',
  ',',
  ';',
  '.',
  '0',
  '+',
  '-',
  'é',
  'ÿ',
  'ā',
  '\ud83d',
  '😀',
  '%20',
  'v1=',
  't=1,',
];
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

type TextChange = (text: string, at: number, random: Random) => string;

const TEXT_CHANGES: readonly TextChange[] = [
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(at),
  (text, at) => text.slice(0, at) + text.charAt(at) + text.slice(at),
  (text, at) => text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
  (text, at, random) => text.slice(0, at) + random.pick(STRANGE) + text.slice(at),
  (text, at, random) => text.slice(0, at) + random.pick(STRANGE) + text.slice(at + 1),
  (text, at, random) => withCode(text, at, text.charCodeAt(at) ^ (1 << random.below(7))),
  // The same last byte, in a character that Latin-1 does not have.
  (text, at, random) => withCode(text, at, text.charCodeAt(at) + 256 * (1 + random.below(255))),
  (text, at) => text.slice(0, at) + swapCase(text.charAt(at)) + text.slice(at + 1),
  (text) => text.toUpperCase(),
  (text) => swapCase(text),
  (text, _at, random) => text + random.pick(STRANGE),
  (text, _at, random) => random.pick(STRANGE) + text,
  (text) => text + text,
  (text) => text.padEnd(5_000, '0'),
  (text) => text.split('').reverse().join(''),
  (text) => JSON.stringify(text),
];

/** A text that differs in a character or in all of them. */
export function textChanged(text: string, random: Random): string {
  return random.pick(TEXT_CHANGES)(text, random.below(Math.max(text.length, 1)), random);
}

/** A signature in a spelling that a lenient reader takes for the same. */
export function respelled(signature: string, encoding: 'hex' | 'base64', random: Random): string {
  const bytes = Buffer.from(signature, encoding);
  const unpadded = signature.replace(/=+$/, '');
  const at = random.below(signature.length);
  const spellings = [
    bytes.toString(encoding === 'hex' ? 'base64' : 'hex'),
    bytes.toString('base64url'),
    bytes.toString('latin1'),
    signature.toUpperCase(),
    unpadded,
    `${unpadded}===`,
    withTrailingBits(unpadded, random) + signature.slice(unpadded.length),
    `${signature.slice(0, at)} ${signature.slice(at)}`,
    `${signature.slice(0, at)}\r\n${signature.slice(at)}`,
    signature.replaceAll('+', '-').replaceAll('/', '_'),
    `0x${signature}`,
    bytes.subarray(0, random.below(bytes.length)).toString(encoding),
    Buffer.concat([bytes, Buffer.from('\0')]).toString(encoding),
  ];
  return random.pick(spellings);
}

export function bytesChanged(bytes: Buffer, random: Random): Buffer {
  const at = random.below(Math.max(bytes.length, 1));
  const flipped = Buffer.from(bytes);
  if (at < flipped.length) flipped[at] = flipped[at]! ^ (1 << random.below(8));
  const swapped = Buffer.from(bytes);
  const other = random.below(Math.max(bytes.length, 1));
  if (bytes.length > 0) [swapped[at], swapped[other]] = [swapped[other]!, swapped[at]!];
  return random.pick([
    flipped,
    flipped,
    swapped,
    bytes.subarray(0, at),
    bytes.subarray(at),
    Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
    Buffer.concat([bytes.subarray(0, at), random.bytes(1), bytes.subarray(at)]),
    Buffer.concat([bytes, random.bytes(1 + random.below(70))]),
    Buffer.alloc(bytes.length),
  ]);
}

function withTrailingBits(unpadded: string, random: Random): string {
  const last = BASE64.indexOf(unpadded.at(-1) ?? 'A');
  return unpadded.slice(0, -1) + BASE64.charAt((last & ~3) + random.below(4));
}

function swapCase(text: string): string {
  const upper = text.toUpperCase();
  return Array.from(text, (letter, at) =>
    letter === upper.charAt(at) ? letter.toLowerCase() : upper.charAt(at),
  ).join('');
}

function withCode(text: string, at: number, code: number): string {
  return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
}
