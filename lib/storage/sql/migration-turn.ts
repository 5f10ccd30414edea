import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { PaymentsStorageError } from '../../errors/payments-errors.js';

/** The connection that migrates at the moment, as its database shows it. */
export interface OtherMigration {
  /** For a sentence, for example `process 4711 of PostgreSQL`. */
  readonly who: string;
  /** The statement that ends it. */
  readonly howToEnd: string;
}

/** How one try ended: with its result, or because another migration runs. It may have ended before it was looked at. */
export type MigrationTry<T> = { readonly done: T } | { readonly behind: OtherMigration | undefined };

/** Gets what a person should know of a migration that takes longer. */
export type TellMigration = (line: string) => void;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
const TELL_AFTER_MS = 2_000;
const TELL_AGAIN_AFTER_MS = 60_000;
/** Longer than to build an index of a very large table takes. A boot that fails after it begins again, and loses nothing. */
const LIMIT_MINUTES = 30;
const LIMIT_MS = LIMIT_MINUTES * 60_000;

/**
 * The wait of one migration for those of others. It asks for the lock again and again: a statement that waits for it
 * would say nothing while another migration hangs.
 */
export class MigrationTurn {
  private readonly since = performance.now();
  private tellAt = this.since + TELL_AFTER_MS;

  /** @param place Where the tables are, for the error. */
  constructor(
    private readonly place: string,
    private readonly tell: TellMigration,
  ) {}

  /**
   * Tries until no other migration runs, for half an hour at most, and says after two seconds and then once a minute what
   * it waits for.
   *
   * @param attempt Tries once. It holds no lock and no connection any more when it gives `behind`.
   * @throws PaymentsStorageError if other migrations ran for half an hour.
   */
  async run<T>(attempt: () => Promise<MigrationTry<T>>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const tried = await attempt();
      if ('done' in tried) return tried.done;
      this.look(tried.behind);
      await delay(pauseMs);
    }
  }

  private look(other: OtherMigration | undefined): void {
    const now = performance.now();
    if (now - this.since >= LIMIT_MS) throw tooLong(this.place, other);
    if (!other || now < this.tellAt) return;
    this.tell(`This migration waits for another one: ${other.who}. ${advice(other)}`);
    this.tellAt = now + TELL_AGAIN_AFTER_MS;
  }
}

function tooLong(place: string, other: OtherMigration | undefined): PaymentsStorageError {
  const what = other ? `: ${other.who}. ${advice(other)}` : '.';
  return new PaymentsStorageError(
    `The tables of nestjs-payments in ${place} could not be migrated, and nothing was changed, because another migration has ` +
      `been running for ${LIMIT_MINUTES} minutes${what}`,
  );
}

function advice({ howToEnd }: OtherMigration): string {
  return `If what started it is gone, end it with ${howToEnd}.`;
}
