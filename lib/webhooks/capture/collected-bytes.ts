import { type UnverifiedBody } from './unverified-bytes.js';

/** How much of a body is read, and for how long. */
export interface ReadLimits {
  readonly bytes: number;
  readonly ms: number;
  /** NaN: not announced. */
  readonly announced: number;
  readonly unverified: UnverifiedBody;
}

/** Each chunk costs hundreds of bytes of its own: a body sent byte by byte must not cost a thousand times its length. */
const MERGED_CHUNKS = 1_024;

/** The chunks of a body as they come. */
export class CollectedBytes {
  length = 0;
  private readonly chunks: Uint8Array[] = [];
  private added = 0;

  constructor(private readonly limits: ReadLimits) {}

  /** Keeps a chunk; says why no more is to be read. */
  add(chunk: Uint8Array | string): 'too long' | 'no room' | undefined {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const { bytes: most, announced, unverified } = this.limits;
    this.length += bytes.length;
    this.chunks.push(bytes);
    this.added += 1;
    if (this.added % MERGED_CHUNKS === 0) this.chunks.push(Buffer.concat(this.chunks.splice(-MERGED_CHUNKS)));
    if (this.length > most) return 'too long';
    return unverified.admit(bytes.length, this.length === announced) ? undefined : 'no room';
  }

  /** All of them as one; the chunk itself where there is only one. */
  whole(): Uint8Array {
    const [first] = this.chunks;
    return first && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }
}
