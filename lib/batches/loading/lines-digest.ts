import { CHUNK_LINES } from './chunk-lines.js';
import { chunkDigest, contentOf, digestOfChunks, type PayoutLine, readLine } from '../lines/payout-line.js';

/** The digest that a batch of these lines has without encryption; undefined if no batch can have them, because one is wrong. */
export async function digestOfLines(lines: AsyncIterable<PayoutLine>): Promise<string | undefined> {
  const digests: string[] = [];
  let chunk: Parameters<typeof chunkDigest>[0][number][] = [];
  let number = 0;
  for await (const given of lines) {
    const read = readLine(given);
    if ('problems' in read) return undefined;
    const { line } = read;
    number += 1;
    chunk.push({ number, key: line.key, cents: line.cents, content: contentOf(line) });
    if (chunk.length === CHUNK_LINES) {
      digests.push(chunkDigest(chunk));
      chunk = [];
    }
  }
  if (chunk.length > 0) digests.push(chunkDigest(chunk));
  return digestOfChunks(digests);
}
