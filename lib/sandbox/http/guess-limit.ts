import { isIPv6 } from 'node:net';

const WINDOW_MS = 60_000;
/** Wrong tokens of one address in a window. A person who mistypes needs fewer, and a search needs far more. */
const GUESSES = 50;
/** Addresses that are remembered. The one that began first is forgotten. */
const ADDRESSES = 1_000;

interface Guesses {
  readonly since: number;
  count: number;
}

/** Counts wrong tokens by remote address. */
export class GuessLimit {
  private readonly byAddress = new Map<string, Guesses>();

  /** @param now Milliseconds of a clock that only goes forward. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** How many addresses are remembered. */
  get size(): number {
    return this.byAddress.size;
  }

  /** After how many whole seconds an address may name a token again; 0: now. */
  secondsToWait(address: string): number {
    const guesses = this.current(networkOf(address));
    if (!guesses || guesses.count < GUESSES) return 0;
    return Math.ceil((guesses.since + WINDOW_MS - this.now()) / 1_000);
  }

  /** Counts a wrong token. */
  count(address: string): void {
    const network = networkOf(address);
    const guesses = this.current(network);
    if (guesses) {
      guesses.count += 1;
      return;
    }
    const [first] = this.byAddress.keys();
    if (this.byAddress.size >= ADDRESSES && first !== undefined) this.byAddress.delete(first);
    this.byAddress.set(network, { since: this.now(), count: 1 });
  }

  /** What counts in the window that runs. */
  private current(network: string): Guesses | undefined {
    const guesses = this.byAddress.get(network);
    if (!guesses || this.now() - guesses.since < WINDOW_MS) return guesses;
    this.byAddress.delete(network);
    return undefined;
  }
}

/** One sender may have all IPv6 addresses of a network of 64 bits. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail = ''] = address.split('::');
  const start = head.split(':');
  const end = tail.split(':');
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0');
  const groups = address.includes('::') ? [...start, ...zeros, ...end] : start;
  return groups.slice(0, 4).join(':');
}
