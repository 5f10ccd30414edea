import { MinuteLog } from './minute-log.js';
import { SafeLogger } from './safe-logger.js';
import { leftBehind } from './timing.js';

/** How much is in flight, and how much may be. */
export interface InFlightCount {
  /** Of the account. */
  readonly own: number;
  /** Of all accounts of its registration. */
  readonly all: number;
  readonly limit: number;
  /** Whether accounts of a resolver share the limit. */
  readonly isShared: boolean;
}

/**
 * Whether one more may begin. An account that shares the limit may have as many as are still free, so that one with many
 * takes half of the places at most, and always leaves some to those with few.
 */
export function mayBegin({ own, all, limit, isShared }: InFlightCount): boolean {
  return isShared ? own < limit - all : all < limit;
}

/**
 * Limits how much work runs at once in this process. Refuses new work at the limit, before it begins, so that running
 * work does not wait behind it.
 */
export class InFlight {
  private count = 0;
  /** Whether what begins now has the place of a wait. */
  private isPassedOn = false;

  /** @param refused Called for whatever finds no place. */
  constructor(
    private readonly limit: number,
    private readonly refused: () => void = () => undefined,
    private readonly all?: InFlight,
  ) {}

  /** The places of one account of a resolver. */
  share(): InFlight {
    return new InFlight(this.limit, this.refused, this);
  }

  /** Begins work, which has a place until it ends, however it ends. Undefined if there is none. */
  begin<T>(work: () => Promise<T>): Promise<T> | undefined {
    const hasPlace = this.isPassedOn || this.hasRoom();
    this.isPassedOn = false;
    return hasPlace ? this.hold(work()) : undefined;
  }

  /**
   * Waits in a place and passes it on to the work after the wait, so that what has waited is not refused any more.
   * Undefined if there is none.
   *
   * @param next Begins its work before it waits for anything itself.
   */
  beginAfter<Waited, T>(
    wait: () => Promise<Waited>,
    next: (waited: Waited) => Promise<T>,
  ): Promise<T> | undefined {
    return this.hasRoom() ? this.passOn(wait(), next) : undefined;
  }

  /** Gives a place to work that has begun, even if there is none. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.add(1);
    try {
      return await work;
    } catch (error) {
      this.holdLate(error);
      throw error;
    } finally {
      this.add(-1);
    }
  }

  /**
   * Gives a place to what still runs behind an error that says that it took too long. The storage may yet carry it out, so
   * such work must not pile up.
   */
  holdLate(error: unknown): void {
    const late = leftBehind(error);
    if (late) this.hold(late).catch(() => undefined);
  }

  private async passOn<Waited, T>(
    waiting: Promise<Waited>,
    next: (waited: Waited) => Promise<T>,
  ): Promise<T> {
    this.add(1);
    let waited: Waited;
    try {
      waited = await waiting;
    } finally {
      this.add(-1);
    }
    this.isPassedOn = true;
    const ended = next(waited);
    this.isPassedOn = false;
    return ended;
  }

  /** Whether one more may begin. If not, it is reported. */
  private hasRoom(): boolean {
    const { count: own, limit, all } = this;
    const hasRoom = mayBegin({ own, all: (all ?? this).count, limit, isShared: all !== undefined });
    if (!hasRoom) this.refused();
    return hasRoom;
  }

  private add(change: 1 | -1): void {
    this.count += change;
    this.all?.add(change);
  }
}

/** What one registration, or one account of it, may have in flight. */
export interface InFlightPlaces {
  readonly payments: InFlight;
  readonly reads: InFlight;
  readonly webhooks: InFlight;
}

/**
 * The places of one registration.
 *
 * @param payments Most payments, and most calls that only read.
 * @param webhooks Most deliveries.
 */
export function inFlightPlaces(payments: number, webhooks = payments): InFlightPlaces {
  return {
    payments: new InFlight(payments, refusals('Payments', `maxInFlight, ${payments},`)),
    reads: new InFlight(payments, refusals('Calls that only read', `maxInFlight, ${payments},`)),
    webhooks: new InFlight(webhooks, refusals('Webhooks', `webhooks.maxInFlight, ${webhooks},`)),
  };
}

function refusals(what: string, option: string): () => void {
  const logger = new SafeLogger('PaymentsOverload');
  const log = new MinuteLog((line) => {
    logger.warn(line);
  });
  return () => {
    log.report(`${what} were refused at once with 503, because as many as ${option} allows are in flight`);
  };
}

/** The places of one account of a resolver. */
export function shareOf({ payments, reads, webhooks }: InFlightPlaces): InFlightPlaces {
  return { payments: payments.share(), reads: reads.share(), webhooks: webhooks.share() };
}
