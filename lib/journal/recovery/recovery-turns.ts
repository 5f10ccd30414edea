import { performance } from 'node:perf_hooks';
import {
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type PaymentFamily } from '../../common/vocabulary.js';
import { journalKeyText } from '../payment/payment-identity.js';
import { type EntryRecovery } from './recover-entry.js';
import { atMost } from '../../common/at-most.js';
import { closedStates, unusable } from './recovery-decision.js';
import { type RecoveryTally } from './recovery-report.js';
import { type StatusResolver } from '../outcomes/status-resolver.js';

/** How many payments one turn works on. An account with more waits until all others had a turn. */
const TURN = 100;
/** How many payments of an account are worked on at once. */
const AT_ONCE = 4;
/** How many payments a turn looks at to find those to probe, whose recovery window may end while others wait. */
const AHEAD = 1_000;

/** A place in the open payments of an account. */
interface Place {
  readonly family: PaymentFamily;
  readonly after?: string;
}

/** How far the turns of an account have come. */
export interface TurnPlace {
  /** Where the next turn begins. */
  readonly at: Place;
  /** Where the search for payments to probe continues; undefined when it has found all of this run. */
  readonly ahead?: Place | undefined;
}

const START: Place = { family: 'collection' };

interface Page {
  readonly entries: readonly StoredJournalRecord[];
  readonly next: Place | undefined;
}

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
   * @param place Undefined: the account has had no turn in this run.
   * @param endsAt After this time, by `performance.now()`, the turn begins no further payment.
   * @returns Where the next turn begins; undefined if none is left.
   * @throws if the payments cannot be listed.
   */
  turn(place: TurnPlace | undefined, tally: RecoveryTally, endsAt: number): Promise<TurnPlace | undefined> {
    const turn = this.run(place, tally, endsAt);
    const running = turn.catch(() => undefined).finally(() => this.running.delete(running));
    this.running.add(running);
    return turn;
  }

  /** Where a further run begins that continues with an earlier one: it looks for payments to probe from the beginning. */
  static resumed({ at }: TurnPlace): TurnPlace {
    return { at, ahead: START };
  }

  /** Resolves when no turn is active. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  private async run(
    place: TurnPlace | undefined,
    tally: RecoveryTally,
    endsAt: number,
  ): Promise<TurnPlace | undefined> {
    const isOver = (): boolean => this.stopping.aborted || performance.now() > endsAt;
    const probed = new Set<string>();
    const further = place?.ahead && (await this.probe(place.ahead, probed, tally, isOver));
    // What comes later in the journal may have to be probed before its turn.
    const placeAt = (at: Place): TurnPlace => ({ at, ahead: place ? further : at });
    let failure: unknown;
    let left = TURN;
    let next: Place | undefined = place?.at ?? START;
    while (next && left > 0) {
      const { family }: Place = next;
      // A family that cannot be listed does not keep the other one waiting.
      const page: Page = await this.page(next, left).catch((error: unknown) => {
        failure ??= error;
        return { entries: [], next: placeAfter(family) };
      });
      const others = page.entries.filter(({ record }) => !probed.has(journalKeyText(record)));
      const isDone = await this.work(this.probesFirst(others, tally), tally, isOver);
      if (!isDone) return placeAt(next);
      left -= page.entries.length;
      next = page.next;
    }
    // As it came, whatever it is.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (failure !== undefined) throw failure;
    return next && placeAt(next);
  }

  /** Probes what it finds ahead of the turns. Returns where to continue. */
  private async probe(
    ahead: Place,
    probed: Set<string>,
    tally: RecoveryTally,
    isOver: () => boolean,
  ): Promise<Place | undefined> {
    const { entries, next } = await this.page(ahead, AHEAD);
    const probes = entries.filter(
      (existing) => unusable(existing) === undefined && this.entries.isProbe(existing),
    );
    for (const { record } of probes) probed.add(journalKeyText(record));
    return (await this.work(probes, tally, isOver)) ? next : ahead;
  }

  /** The payments with work, those to probe first. Counts the others. */
  private probesFirst(
    entries: readonly StoredJournalRecord[],
    tally: RecoveryTally,
  ): readonly StoredJournalRecord[] {
    const withWork = entries.filter((existing) => {
      const why = unusable(existing);
      if (why === undefined && this.entries.hasWork(existing)) return true;
      if (why === undefined) tally.add(this.entries.idleEnd(existing));
      else tally.passOver(existing, why);
      return false;
    });
    const probes = withWork.filter((existing) => this.entries.isProbe(existing));
    return [...probes, ...withWork.filter((existing) => !probes.includes(existing))];
  }

  /** False if the time was up before the last payment. */
  private async work(
    payments: readonly StoredJournalRecord[],
    tally: RecoveryTally,
    isOver: () => boolean,
  ): Promise<boolean> {
    let begun = 0;
    function* untilOver(): Generator<StoredJournalRecord, void, undefined> {
      for (const existing of payments) {
        if (isOver()) return;
        begun += 1;
        yield existing;
      }
    }
    await atMost(AT_ONCE, untilOver(), (existing) =>
      tally.addEnd(existing, this.entries.recover(existing, tally.fullDays)),
    );
    return begun === payments.length;
  }

  private async page({ family, after }: Place, limit: number): Promise<Page> {
    const except = closedStates(family, this.status);
    const start = after === undefined ? {} : { after };
    const { entries, next } = await this.store.list({ ...this.scope, family }, except, { limit, ...start });
    if (next !== undefined) return { entries, next: { family, after: next } };
    return { entries, next: placeAfter(family) };
  }
}

function placeAfter(family: PaymentFamily): Place | undefined {
  return family === 'collection' ? { family: 'disbursement' } : undefined;
}
