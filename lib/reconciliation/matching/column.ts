/** Arrays of numbers that lie outside of the heap. */
type Numbers = Uint8Array | Uint32Array | Float64Array;

/** Pieces, so that nothing is copied when it grows. */
const BITS = 14;
const PIECE = 1 << BITS;

/** A list of numbers that grows. A million numbers of an array in the heap let the heap grow to many times their size. */
export class Column<T extends Numbers> {
  private readonly pieces: T[] = [];
  private last: T;
  private count = 0;

  constructor(private readonly Type: new (length: number) => T) {
    this.last = new Type(0);
  }

  get length(): number {
    return this.count;
  }

  push(value: number): void {
    const offset = this.count & (PIECE - 1);
    if (offset === 0) {
      this.last = new this.Type(PIECE);
      this.pieces.push(this.last);
    }
    this.last[offset] = value;
    this.count += 1;
  }

  /** 0 for a place that is not there. */
  at(place: number): number {
    return this.pieces[place >>> BITS]?.[place & (PIECE - 1)] ?? 0;
  }
}
