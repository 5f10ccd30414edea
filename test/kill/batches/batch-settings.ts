/** What the runner tells a replica. */
export interface BatchReplicaSettings {
  readonly life: string;
  /** Of PostgreSQL. */
  readonly url: string;
  readonly redis: string;
  readonly gateway: { readonly baseUrl: string; readonly apiKey: string; readonly apiSecret: string };
  /** File of the history. */
  readonly history: string;
  /** Folder with a file for each death that has not happened. */
  readonly planned: string;
}

/** The replica whose memory is measured: no planned death is its own. Its life begins with this. */
export const SPARED = 'spared: ';
export const BATCH = 'salaries';
export const QUEUE = 'kill-test-of-batches';
/** So soon another replica takes the chunk of one that died. */
export const LOCK_MS = 1_000;
/** The longest rows that a policy may allow: the faults of this test are no reason to pause. */
export const POLICY = { stopAfterUnknown: 100, stopAfterRefused: 100 } as const;
/** Nobody waits for the rate: deaths come often instead. */
export const RATE = { perSecond: 10_000 } as const;
/** How long a payment of a dead replica belongs to nobody else. */
export const DEADLINE_MS = 3_000;
/** One try: a lost answer stays lost. */
export const RETRY = { maxAttempts: 1 } as const;
