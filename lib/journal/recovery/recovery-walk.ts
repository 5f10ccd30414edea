import { setImmediate } from 'node:timers/promises';
import { atMost } from '../../common/at-most.js';
import { type JournalState, PAYMENT_FAMILIES, type PaymentFamily } from '../../common/vocabulary.js';
import {
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type StatusResolver } from '../outcomes/status-resolver.js';
import { journalKeyText } from '../payment/payment-identity.js';
import { type EntryRecovery, type RunNotes } from './recover-entry.js';
import { closedStates, unusable } from './recovery-decision.js';
import { type EntryEnd, type RecoveryTally } from './recovery-report.js';

/**
 * The open payments of an account, by what recovery does with them: it sends those that are planned, probes some, and
 * asks about the others.
 */
const LANES = ['planned', 'probes', 'others'] as const;
type Lane = (typeof LANES)[number];

const NOT_PLANNED: readonly JournalState[] = ['in-flight', 'accepted', 'rejected', 'unknown', 'settled'];
const NEVER_PROBED: readonly JournalState[] = ['planned', 'accepted', 'rejected', 'settled'];

/** A page of a lane. */
interface Place {
  readonly family: PaymentFamily;
  readonly after?: string | undefined;
  /** The payments of the page that have had their turn. */
  readonly done: ReadonlySet<string>;
}

type LanePlaces = Partial<Record<Lane, Place | undefined>>;

/** How far the lanes of an account have come. A lane that is absent has come to its end. */
export interface WalkPlaces extends Readonly<LanePlaces> {
  /**
   * Where the first payment is that nobody asked about, because the gateway limits the status queries. Until the next
   * run, nobody asks about any further one.
   */
  readonly unasked?: Place | undefined;
}

/** What a walk works with. */
export interface WalkParts {
  readonly scope: Pick<JournalScope, 'account' | 'environment'>;
  readonly store: JournalStore;
  readonly status: Pick<StatusResolver, 'canAsk'>;
  readonly entries: Pick<EntryRecovery, 'hasWork' | 'isProbe' | 'idleEnd' | 'recover'>;
}

/** The limits of a walk. */
interface WalkLimits {
  readonly pageSize: number;
  /** How many other payments a lane passes over before it ends. */
  readonly ahead: number;
  /** How many payments are worked on at once. */
  readonly atOnce: number;
  /** How many payments a lane takes before it ends. */
  readonly payments: number;
  /** When this is true, the walk begins no further payment. */
  readonly isOver: () => boolean;
  /** Called when no further payment of a family can be listed. */
  readonly onUnlisted: (family: PaymentFamily, error: unknown) => void;
}

/** A page that is being worked on. Its number grows along the lane. */
interface OpenPage {
  readonly place: Place & { readonly done: Set<string> };
  readonly number: number;
}

interface Work extends OpenPage {
  readonly lane: Lane;
  readonly existing: StoredJournalRecord;
}

const FIRST: Place = { family: PAYMENT_FAMILIES[0], done: new Set() };
/** Where a walk begins that continues no earlier one. */
export const BEGINNING: WalkPlaces = { planned: FIRST, probes: FIRST, others: FIRST };

/** Where the next run begins. A lane that had come to its end starts over. */
export function nextRun({
  planned = FIRST,
  probes = FIRST,
  others = FIRST,
  unasked,
}: WalkPlaces): WalkPlaces {
  return { planned, probes, others: unasked ?? others };
}

/** Whether a lane has work left in this run. */
export function isUnfinished(places: WalkPlaces): boolean {
  return LANES.some((lane) => places[lane] !== undefined);
}

/**
 * Goes through the open payments of an account, and takes one of each lane in turn. So neither slow probes, nor slow
 * payouts, nor a slow status path keep the payments of the other lanes waiting.
 */
export class RecoveryWalk {
  private readonly places: LanePlaces;
  private readonly begun = new Set<string>();
  private readonly notes: RunNotes;
  private unasked: OpenPage | undefined;

  constructor(
    private readonly parts: WalkParts,
    private readonly tally: RecoveryTally,
    private readonly from: WalkPlaces,
    private readonly limits: WalkLimits,
  ) {
    const { unasked, ...places } = from;
    this.places = places;
    this.notes = { fullDays: tally.fullDays, isHeldBack: unasked !== undefined };
  }

  /** @returns Where to continue. */
  async run(): Promise<WalkPlaces> {
    await atMost(this.limits.atOnce, this.inTurns(), (work) => this.work(work));
    const unasked = this.from.unasked ?? this.unasked?.place;
    return { ...this.places, ...(unasked && { unasked }) };
  }

  private async *inTurns(): AsyncGenerator<Work, void, undefined> {
    let lanes = LANES.map((lane) => this.lane(lane));
    while (lanes.length > 0) {
      const left: typeof lanes = [];
      for (const lane of lanes) {
        const { done, value } = await lane.next();
        if (done) continue;
        left.push(lane);
        if (value) yield value;
      }
      lanes = left;
    }
  }

  private async work({ lane, existing, place, number }: Work): Promise<void> {
    let end: EntryEnd | undefined;
    const recovered = this.parts.entries.recover(existing, this.notes).then((known) => (end = known));
    await this.tally.addEnd(existing, recovered);
    if (lane === 'others' && end?.unasked) this.leaveUnasked({ place, number });
    else place.done.add(journalKeyText(existing.record));
  }

  /** Yields the payments of a lane, and undefined after a page of the others, so that the other lanes need not wait. */
  private async *lane(lane: Lane): AsyncGenerator<Work | undefined, void, undefined> {
    const { payments, ahead } = this.limits;
    let looked = 0;
    let passed = 0;
    for (let number = 0; looked < payments && passed < ahead; number += 1) {
      const at = this.places[lane];
      if (!at || this.isOver()) return;
      const page: OpenPage = { place: { ...at, done: new Set(at.done) }, number };
      const { entries, next } = await this.list(lane, at);
      this.places[lane] = page.place;
      for (const existing of entries) {
        if (looked >= payments) return;
        const isWaiting = this.isWaiting(lane, existing, page);
        if (isWaiting || lane === 'others') looked += 1;
        else passed += 1;
        if (!isWaiting) continue;
        if (this.isOver()) return;
        this.begun.add(journalKeyText(existing.record));
        yield { lane, existing, ...page };
      }
      this.places[lane] = next;
      // A store in this process answers at once, but webhooks and calls must get their turn.
      if (entries.length > 0) await setImmediate();
      if (lane === 'others') yield undefined;
    }
  }

  private isOver(): boolean {
    if (!this.limits.isOver()) return false;
    this.tally.unfinished = true;
    return true;
  }

  /** Whether a payment is to be worked on in this lane. */
  private isWaiting(lane: Lane, existing: StoredJournalRecord, page: OpenPage): boolean {
    const key = journalKeyText(existing.record);
    if (page.place.done.has(key) || this.begun.has(key)) return false;
    const { entries } = this.parts;
    const why = unusable(existing);
    if (existing.unavailable && why !== undefined) {
      // Whichever lane meets it: another one may be able to read it a moment later, and would leave it to this one.
      this.begun.add(key);
      this.tally.passOver(existing, why);
      return false;
    }
    const isUsable = why === undefined;
    if (isUsable && entries.isProbe(existing)) return lane === 'probes';
    if (lane === 'probes') return false;
    const hasWork = isUsable && entries.hasWork(existing);
    if (hasWork && existing.record.state === 'planned') return lane === 'planned';
    return lane === 'others' && this.isOther(existing, hasWork, page);
  }

  /** Whether a payment of no other lane is to be worked on. If not, counts it. */
  private isOther(existing: StoredJournalRecord, hasWork: boolean, page: OpenPage): boolean {
    const { entries } = this.parts;
    if (hasWork && (!this.notes.isHeldBack || entries.hasWork(existing, 'without asking'))) return true;
    if (hasWork) this.leaveUnasked(page);
    else page.place.done.add(journalKeyText(existing.record));
    const why = unusable(existing);
    if (why === undefined) this.tally.add(entries.idleEnd(existing));
    else this.tally.passOver(existing, why);
    return false;
  }

  /** The next run begins at the first page with a payment that nobody asked about. */
  private leaveUnasked(page: OpenPage): void {
    if (!this.unasked || page.number < this.unasked.number) this.unasked = page;
    this.tally.holdBack(this.parts.scope.account);
  }

  /** Ends a family that cannot be listed, so that the payments before, and those of the other one, get their turn. */
  private async list(
    lane: Lane,
    { family, after }: Place,
  ): Promise<{ readonly entries: readonly StoredJournalRecord[]; readonly next: Place | undefined }> {
    const { scope, store, status } = this.parts;
    const except = { planned: NOT_PLANNED, probes: NEVER_PROBED, others: closedStates(family, status) }[lane];
    const following = PAYMENT_FAMILIES[PAYMENT_FAMILIES.indexOf(family) + 1];
    const nextFamily = following && { family: following, done: new Set<string>() };
    try {
      const start = { limit: this.limits.pageSize, ...(after !== undefined && { after }) };
      const { entries, next } = await store.list({ ...scope, family }, except, start);
      this.tally.pages += 1;
      return { entries, next: next === undefined ? nextFamily : { family, after: next, done: new Set() } };
    } catch (error) {
      this.limits.onUnlisted(family, error);
      return { entries: [], next: nextFamily };
    }
  }
}
