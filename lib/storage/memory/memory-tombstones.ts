import { hash } from 'node:crypto';
import { type PaymentTombstone } from '../journal-store.js';

/** Three words of the hash of the reference, one for attempt and end, one for the time. */
const WORDS = 5;
const FIRST_CAPACITY = 64;
/** The largest number of an attempt that fits beside the end. */
const LAST_ATTEMPT = 2 ** 24 - 1;

const ENDS = [
  'accepted',
  'rejected',
  'success',
  'paid',
  'failed',
  'cancelled',
  'expired',
  'unlisted-refusal',
] as const;
const SETTLERS = [undefined, 'webhook', 'status', 'operator'] as const;

/**
 * The tombstones of one scope: an open-addressing hash table in one typed array, 27 to 53 bytes each
 * (measured: 35), because a process that runs for years keeps millions of them. The garbage collector never
 * looks into it.
 */
export class MemoryTombstones {
  private slots = new Uint32Array(FIRST_CAPACITY * WORDS);
  private size = 0;

  add(reference: string, { attempt, end, settledBy }: PaymentTombstone, now: number): void {
    if ((this.size + 1) * WORDS > this.slots.length * 0.75) this.rebuild(this.slots.length * 2);
    const key = keyOf(reference);
    const at = this.slotOf(key);
    if (this.slots[at + 3] === 0) this.size += 1;
    const kind = SETTLERS.indexOf(settledBy) * 16 + ENDS.indexOf(end);
    this.slots.set(key, at);
    this.slots[at + 3] = Math.min(attempt, LAST_ATTEMPT) * 256 + kind;
    // Rounded up: nothing is forgotten too early.
    this.slots[at + 4] = Math.ceil(now / 1_000);
  }

  find(reference: string): PaymentTombstone | undefined {
    if (this.size === 0) return undefined;
    const packed = this.slots[this.slotOf(keyOf(reference)) + 3] ?? 0;
    const end = ENDS[packed % 16];
    if (packed === 0 || !end) return undefined;
    const settledBy = SETTLERS[Math.floor(packed / 16) % 16];
    return { attempt: Math.floor(packed / 256), end, ...(settledBy && { settledBy }) };
  }

  /** Takes away what was added before `latest`, in milliseconds since 1970. Returns how many. */
  purge(latest: number): number {
    const before = this.size;
    this.rebuild(this.slots.length, latest / 1_000);
    return before - this.size;
  }

  private rebuild(length: number, latest = -Infinity): void {
    const old = this.slots;
    this.slots = new Uint32Array(length);
    this.size = 0;
    for (let at = 0; at < old.length; at += WORDS) {
      const slot = old.subarray(at, at + WORDS);
      if (slot[3] === 0 || (slot[4] ?? 0) < latest) continue;
      const [first = 0, second = 0, third = 0] = slot;
      this.slots.set(slot, this.slotOf([first, second, third]));
      this.size += 1;
    }
  }

  /** The slot of a key, or the free slot that it would take; there always is one. */
  private slotOf([first, second, third]: Key): number {
    const { slots } = this;
    const capacity = slots.length / WORDS;
    for (let index = first % capacity; ; index = (index + 1) % capacity) {
      const at = index * WORDS;
      const isKey = slots[at] === first && slots[at + 1] === second && slots[at + 2] === third;
      if (isKey || slots[at + 3] === 0) return at;
    }
  }
}

/** 96 bits: in one of 10^17 journals, two of a million references have the same key, and one of them is refused. */
type Key = readonly [first: number, second: number, third: number];

function keyOf(reference: string): Key {
  // As UTF-8, all lone surrogates would be the same.
  const digest = hash('sha256', Buffer.from(reference, 'utf16le'), 'binary');
  return [wordAt(digest, 0), wordAt(digest, 4), wordAt(digest, 8)];
}

/** Four bytes of a string of bytes as an unsigned number. */
function wordAt(bytes: string, at: number): number {
  const byte = (index: number): number => bytes.charCodeAt(at + index);
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
}
