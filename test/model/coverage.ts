import { type SentPayment, wasTurnedAway } from './gateway.js';

/** What the stories are there to reach. */
export const KINDS = [
  'a late request moves money',
  'a late write arrives',
  'a partition',
  'a row vanishes',
  'a next attempt',
  'a probe turned away by 429',
  'a refusal after its effect',
  'an end before the answer',
  'an operator settles',
  'a status query',
  'a purge',
  'a lease keeps others away',
  'two replicas at once',
  'a result before its process is killed',
  'an interceptor sends again',
  'an interceptor sends elsewhere',
  'an interceptor changes the key',
  'an interceptor throws',
  'an enlisted payment is sent',
  'a transaction is rolled back',
  'a process dies between commit and send',
  'a recovery sends a planned payment',
] as const;
/** A storage without transactions reaches none of them. */
const OF_TRANSACTIONS: readonly string[] = [
  'an enlisted payment is sent',
  'a transaction is rolled back',
  'a process dies between commit and send',
  'a recovery sends a planned payment',
];
export type Kind = (typeof KINDS)[number];

/**
 * How many kinds chance may leave out of so many stories, and more than it did in 40 seeds: 6 of 30, and 2 of 90.
 * Fewer stories may leave out any.
 */
const LEFT_OUT: readonly (readonly [stories: number, kinds: number])[] = [
  [200, 0],
  [100, 5],
  [30, 10],
];
/** From how many stories on chance does not leave out a kind that is frequent. */
const FREQUENT: ReadonlyMap<Kind, number> = new Map([
  ['an operator settles', 30],
  ['a result before its process is killed', 60],
  ['a status query', 60],
  ['a refusal after its effect', 100],
  ['a partition', 100],
  ['a late request moves money', 100],
]);

/** How many stories reached each kind. */
export class Coverage {
  private stories = 0;
  private readonly reached: Map<Kind, number>;

  /** @param enlists Whether the storage has transactions. */
  constructor(enlists: boolean) {
    const kinds = KINDS.filter((kind) => enlists || !OF_TRANSACTIONS.includes(kind));
    this.reached = new Map(kinds.map((kind) => [kind, 0]));
  }

  add(kinds: ReadonlySet<Kind>): void {
    this.stories += 1;
    for (const kind of kinds) this.reached.set(kind, (this.reached.get(kind) ?? 0) + 1);
  }

  lines(): readonly string[] {
    return [...this.reached].map(
      ([kind, stories]) => `${String(stories).padStart(7)} stories reached: ${kind}`,
    );
  }

  /** The kinds that a run should have reached, and did not. */
  missing(): readonly Kind[] {
    const missing = [...this.reached].filter(([, stories]) => stories === 0).map(([kind]) => kind);
    const [, most] = LEFT_OUT.find(([stories]) => this.stories >= stories) ?? [0, Infinity];
    if (missing.length > most) return missing;
    return missing.filter((kind) => this.stories >= (FREQUENT.get(kind) ?? Infinity));
  }
}

/** What a payment that comes to the gateway shows of its story. */
export function kindsOf(sent: SentPayment, earlier: readonly SentPayment[]): readonly Kind[] {
  const { planned } = sent;
  const isProbe = earlier.some((each) => each.key === sent.key && !wasTurnedAway(each));
  const kinds: Kind[] = [];
  if (earlier.length > 0 && earlier.every(({ key }) => key !== sent.key)) kinds.push('a next attempt');
  if (isProbe && wasTurnedAway(sent)) kinds.push('a probe turned away by 429');
  if (planned !== 'duplicate' && planned.effect === 'now' && LOOKS_REFUSED.test(planned.answer))
    kinds.push('a refusal after its effect');
  return kinds;
}

/** By its name: a status with which servers refuse. */
const LOOKS_REFUSED = /\b4\d\d\b/;
