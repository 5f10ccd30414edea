import { performance } from 'node:perf_hooks';
import { type JournalScope, type JournalStore } from '../../storage/journal-store.js';
import { type StatusResolver } from '../outcomes/status-resolver.js';
import { type EntryRecovery } from './recover-entry.js';
import { type RecoveryTally } from './recovery-report.js';
import { BEGINNING, isUnfinished, RecoveryWalk, type WalkPlaces } from './recovery-walk.js';

/** How many payments one turn works on. An account with more waits until all others had a turn. */
const TURN = 100;
/** How many payments of an account are worked on at once. */
const AT_ONCE = 4;
/** How many payments a turn looks at to find those to probe, whose recovery window may end while others wait. */
const AHEAD = 1_000;

/** Recovers the open payments of one account in turns, for a run over all accounts. */
export class RecoveryTurns {
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly scope: Pick<JournalScope, 'account' | 'environment'>,
    private readonly store: JournalStore,
    private readonly status: Pick<StatusResolver, 'canAsk'>,
    private readonly entries: Pick<EntryRecovery, 'hasWork' | 'isProbe' | 'idleEnd' | 'recover'>,
    private readonly stopping: AbortSignal,
  ) {}

  /**
   * Makes one turn.
   *
   * @param place Where it begins; undefined: at the beginning.
   * @param endsAt After this time, by `performance.now()`, the turn begins no further payment.
   * @returns Where the next turn begins; undefined if no payment is left. If all that is left are payments about which
   *   nobody may ask in this run, the next turn is one of the next run.
   * @throws if the payments cannot be listed.
   */
  turn(place: WalkPlaces | undefined, tally: RecoveryTally, endsAt: number): Promise<WalkPlaces | undefined> {
    const turn = this.run(place ?? BEGINNING, tally, endsAt);
    const running = turn.catch(() => undefined).finally(() => this.running.delete(running));
    this.running.add(running);
    return turn;
  }

  /** Resolves when no turn is active. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  private async run(
    place: WalkPlaces,
    tally: RecoveryTally,
    endsAt: number,
  ): Promise<WalkPlaces | undefined> {
    let failure: { readonly error: unknown } | undefined;
    const { scope, store, status, entries } = this;
    const walk = new RecoveryWalk({ scope, store, status, entries }, tally, place, {
      pageSize: TURN,
      ahead: AHEAD,
      atOnce: AT_ONCE,
      payments: TURN,
      isOver: () => this.stopping.aborted || performance.now() > endsAt,
      onUnlisted: (_, error) => {
        failure ??= { error };
      },
    });
    const places = await walk.run();
    if (failure) throw failure.error;
    return isUnfinished(places) || places.unasked ? places : undefined;
  }
}
