/** Random choices that repeat with their seed (the splitmix32 generator). */
export class Random {
  constructor(private state: number) {}

  word(): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let word = this.state ^ (this.state >>> 16);
    word = Math.imul(word, 0x21f0aaad);
    word ^= word >>> 15;
    word = Math.imul(word, 0x735a2d97);
    return (word ^ (word >>> 15)) >>> 0;
  }

  /** A whole number from 0 on, below the limit. */
  below(limit: number): number {
    return this.word() % limit;
  }

  chance(probability: number): boolean {
    return this.word() < probability * 2 ** 32;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet.charAt(this.below(alphabet.length))).join('');
  }
}
