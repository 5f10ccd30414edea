import { Column } from './column.js';

const FIRST_SLOTS = 2_048;
const FNV_START = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

/**
 * Names and the places at which they were added, outside of the heap: a million of them need about 50 MB, and no work of the
 * garbage collector.
 */
export class NameIndex {
  /** The names, one after the other. */
  private readonly units = new Column(Uint16Array);
  /** Where each begins, and where the last one ends. */
  private readonly starts = new Column(Uint32Array);
  /** A place and 1, or 0, at the hash of its name or after it. Never more than half full. */
  private slots = new Uint32Array(FIRST_SLOTS);

  constructor() {
    this.starts.push(0);
  }

  get size(): number {
    return this.starts.length - 1;
  }

  /** The place of a name; undefined if it is not there. */
  find(name: string): number | undefined {
    const slot = this.slots[this.slotOf(name)] ?? 0;
    return slot === 0 ? undefined : slot - 1;
  }

  /** Adds a name that is not there. Its place is the size before. */
  add(name: string): void {
    if (this.size * 2 >= this.slots.length) this.grow();
    const slot = this.slotOf(name);
    for (let at = 0; at < name.length; at += 1) this.units.push(name.charCodeAt(at));
    this.starts.push(this.units.length);
    this.slots[slot] = this.size;
  }

  /** The name at a place. */
  at(place: number): string {
    const units: number[] = [];
    const end = this.starts.at(place + 1);
    for (let at = this.starts.at(place); at < end; at += 1) units.push(this.units.at(at));
    return String.fromCharCode(...units);
  }

  /** The slot of a name, or the free one in which it belongs. */
  private slotOf(name: string): number {
    const last = this.slots.length - 1;
    let slot = hashOf(name) & last;
    for (;;) {
      const place = this.slots[slot] ?? 0;
      if (place === 0 || this.isAt(place - 1, name)) return slot;
      slot = (slot + 1) & last;
    }
  }

  private isAt(place: number, name: string): boolean {
    const start = this.starts.at(place);
    if (this.starts.at(place + 1) - start !== name.length) return false;
    for (let at = 0; at < name.length; at += 1) {
      if (this.units.at(start + at) !== name.charCodeAt(at)) return false;
    }
    return true;
  }

  private grow(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let place = 0; place < this.size; place += 1) this.slots[this.slotOf(this.at(place))] = place + 1;
  }
}

/** FNV-1a, which needs no tables. */
function hashOf(name: string): number {
  let hash = FNV_START;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), FNV_PRIME);
  return hash ^ (hash >>> 15);
}
