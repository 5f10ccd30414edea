import { Column } from './column.js';

const FIRST_SLOTS = 2_048;
const FIRST_SPARE = 1_024;
/** UTF-8 needs no more for a unit of UTF-16. */
const BYTES_A_UNIT = 3;
const FNV_START = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Names and the places at which they were added, outside of the heap: a million of them need about 30 MB, and no work of the
 * garbage collector.
 */
export class NameIndex {
  /** The names in UTF-8, one after the other. */
  private readonly bytes = new Column(Uint8Array);
  /** Where each begins, and where the last one ends. */
  private readonly starts = new Column(Uint32Array);
  /** A place and 1, or 0, at the hash of its name or after it. Never more than half full. */
  private slots = new Uint32Array(FIRST_SLOTS);
  /** The bytes of the name that is looked for. */
  private spare = new Uint8Array(FIRST_SPARE);

  constructor() {
    this.starts.push(0);
  }

  get size(): number {
    return this.starts.length - 1;
  }

  /** The place of a name; undefined if it is not there. */
  find(name: string): number | undefined {
    const slot = this.slots[this.slotOf(this.encode(name))] ?? 0;
    return slot === 0 ? undefined : slot - 1;
  }

  /** Adds a name. Its place is the size before. Returns false for one that is there already. */
  add(name: string): boolean {
    if (this.size * 2 >= this.slots.length) this.grow();
    const length = this.encode(name);
    const slot = this.slotOf(length);
    if (this.slots[slot] !== 0) return false;
    for (let at = 0; at < length; at += 1) this.bytes.push(this.spare[at] ?? 0);
    this.starts.push(this.bytes.length);
    this.slots[slot] = this.size;
    return true;
  }

  /** The name at a place. */
  at(place: number): string {
    return decoder.decode(this.spare.subarray(0, this.load(place)));
  }

  /** Puts a name into the spare bytes, and returns how many they are. */
  private encode(name: string): number {
    this.makeRoom(name.length * BYTES_A_UNIT);
    return encoder.encodeInto(name, this.spare).written;
  }

  /** The same for the name at a place. */
  private load(place: number): number {
    const start = this.starts.at(place);
    const length = this.starts.at(place + 1) - start;
    for (let at = 0; at < length; at += 1) this.spare[at] = this.bytes.at(start + at);
    return length;
  }

  private makeRoom(bytes: number): void {
    if (bytes > this.spare.length) this.spare = new Uint8Array(bytes);
  }

  /** The slot of the name in the spare bytes, or the free one in which it belongs. */
  private slotOf(length: number): number {
    const last = this.slots.length - 1;
    let slot = this.hashOf(length) & last;
    for (;;) {
      const place = this.slots[slot] ?? 0;
      if (place === 0 || this.isAt(place - 1, length)) return slot;
      slot = (slot + 1) & last;
    }
  }

  private isAt(place: number, length: number): boolean {
    const start = this.starts.at(place);
    if (this.starts.at(place + 1) - start !== length) return false;
    for (let at = 0; at < length; at += 1) {
      if (this.bytes.at(start + at) !== this.spare[at]) return false;
    }
    return true;
  }

  /** FNV-1a, which needs no tables. */
  private hashOf(length: number): number {
    let hash = FNV_START;
    for (let at = 0; at < length; at += 1) hash = Math.imul(hash ^ (this.spare[at] ?? 0), FNV_PRIME);
    return hash ^ (hash >>> 15);
  }

  private grow(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let place = 0; place < this.size; place += 1) this.slots[this.slotOf(this.load(place))] = place + 1;
  }
}
