import { createHash, type Hash } from 'node:crypto';
import { isRecord } from '../../common/json-object.js';
import { PaymentsValidationError } from '../../errors/payments-errors.js';
import { missingIdProblem } from '../../gateway/validation/field-rules.js';
import { type NewBatchLine } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { CHUNK_LINES } from './chunk-lines.js';
import { chunkDigest, contentOf, readLine, recipientHash } from '../lines/payout-line.js';

/** More lines than a batch needs: a stream that never ends must not fill the disk. */
const MOST_LINES = 5_000_000;
/** Fits into the integers of every database. */
const MOST_CENTS = 9n * 10n ** 18n;
/** More bad lines are counted, and not listed. */
const MOST_LISTED = 1_000;

/** All lines of a batch in the storage. */
export interface LoadedLines {
  readonly lines: number;
  readonly cents: bigint;
  readonly digest: string;
  /** What the digest would be under earlier keys of the account, and without encryption. */
  readonly earlierDigests: readonly string[];
}

/** Reads lines, checks them and writes them in chunks. Holds two chunks in memory. */
export class LineIntake {
  /** The digest, and the earlier ones. */
  private readonly digests: Hash[] = [];
  private readonly problems: Record<string, string[]> = {};
  private bad = 0;
  private lines = 0;
  private cents = 0n;
  private chunks = 0;
  private chunk: NewBatchLine[] = [];
  /** Where each line of the chunk is in the file, by its key. */
  private places = new Map<string, string>();
  /** The chunk before. */
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly account: Pick<BatchAccount, 'scope' | 'store' | 'storedHashes'>,
    private readonly load: string,
  ) {}

  /** @throws PaymentsValidationError that lists the bad lines. */
  async takeAll(lines: AsyncIterable<unknown> | Iterable<unknown>): Promise<LoadedLines> {
    try {
      for await (const given of lines) {
        this.take(given);
        if (this.chunk.length === CHUNK_LINES) await this.flush();
      }
    } finally {
      // The caller removes the lines after an error, and must not meet a chunk that is being written.
      await Promise.allSettled([this.writing]);
    }
    if (this.chunk.length > 0) await this.flush();
    await this.writing;
    if (this.bad > 0) throw this.badLines();
    if (this.lines === 0) throw wrong('there are no lines: a batch needs one at least');
    const [digest = '', ...earlierDigests] = this.digests.map((hash) => hash.digest('hex'));
    return { lines: this.lines, cents: this.cents, digest, earlierDigests };
  }

  private take(given: unknown): void {
    this.lines += 1;
    if (this.lines > MOST_LINES) {
      throw wrong(`there are more than ${MOST_LINES} lines: load them as several batches`);
    }
    const place = placeOf(given, this.lines);
    const read = readLine(given);
    if ('problems' in read) {
      this.refuse(place, read.problems);
      return;
    }
    const { line } = read;
    const missing = missingIdProblem(line.key);
    if (missing !== undefined) {
      this.refuse(place, [`key ${missing}`]);
      return;
    }
    const first = this.places.get(line.key);
    if (first !== undefined) {
      this.refuse(place, [`it has the key of ${first}`]);
      return;
    }
    this.places.set(line.key, place);
    this.cents += BigInt(line.cents);
    if (this.cents > MOST_CENTS) throw wrong('the sum of the lines is too large for a batch');
    this.chunk.push({
      number: this.lines,
      key: line.key,
      cents: line.cents,
      recipient: recipientHash(this.account.scope, line.recipient),
      content: contentOf(line),
    });
  }

  /** Writes a chunk while the next one is read. */
  private async flush(): Promise<void> {
    const { chunk, places } = this;
    this.chunk = [];
    this.places = new Map();
    await this.writing;
    this.writing = this.write(chunk, places);
    // `await this.writing` meets the error.
    this.writing.catch(() => undefined);
  }

  /** Continues after a bad line, so that every other one is found, too. */
  private async write(chunk: readonly NewBatchLine[], places: ReadonlyMap<string, string>): Promise<void> {
    const used = new Set(await this.add(chunk));
    if (used.size === 0) return;
    for (const key of used) this.refuse(places.get(key) ?? '', ['it has the key of an earlier line']);
    const rest = chunk.filter(({ key }) => !used.has(key));
    if (rest.length > 0) await this.add(rest);
  }

  private async add(lines: readonly NewBatchLine[]): Promise<readonly string[]> {
    const hashes = this.account.storedHashes(chunkDigest(lines));
    const [digest] = hashes;
    const used = await this.account.store.addChunk(this.load, { chunk: this.chunks + 1, digest }, lines);
    if (used.length > 0) return used;
    this.chunks += 1;
    for (const [at, hash] of hashes.entries()) (this.digests[at] ??= createHash('sha256')).update(hash);
    return [];
  }

  private refuse(place: string, problems: readonly string[]): void {
    this.bad += 1;
    if (this.bad > MOST_LISTED) return;
    // Several files may be read one after the other, and have the same numbers.
    const before = this.problems[place] ?? [];
    this.problems[place] = [...before, ...problems.map((problem) => `${place}: ${problem}`)];
  }

  private badLines(): PaymentsValidationError {
    const more = this.bad - MOST_LISTED;
    return new PaymentsValidationError({
      ...this.problems,
      ...(more > 0 && { more: [`and ${more} more lines`] }),
    });
  }
}

function placeOf(given: unknown, number: number): string {
  const line = isRecord(given) ? given['line'] : undefined;
  return `line ${typeof line === 'number' ? line : number}`;
}

function wrong(problem: string): PaymentsValidationError {
  return new PaymentsValidationError({ lines: [problem] });
}
