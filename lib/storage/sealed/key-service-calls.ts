import { performance } from 'node:perf_hooks';
import { LONGEST_TIMER_MS, withTimeout } from '../../common/timing.js';
import { Turns } from '../../common/turns.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { KeyServiceError } from './encryption.js';

/** Calls at once for one key. */
const AT_ONCE = 16;

/** How many of them lists and renewals have at most. A list may need hundreds of data keys. */
const LISTED_AT_ONCE = 8;

/** How long further calls fail at once after a call that was not answered in time: a list must not wait for each. */
const SILENCE_MS = 1_000;

/** A time limit that ends so much too late says that this process stood still, and nothing about the key service. */
const STOOD_STILL_MS = 100;

interface Lane {
  readonly calls: Turns;
  readonly listed: Turns;
  /** By `performance.now()`. */
  silentUntil: number;
}

/** Calls a key service: a few at once for each of its keys, each of them with a time limit. */
export class KeyServiceCalls {
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly timeoutMs: number) {}

  /**
   * @param id Of a key. The calls of one key never wait for those of another one.
   * @throws KeyServiceError
   */
  async call<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const lane = this.laneOf(id);
    const deadline = performance.now() + this.timeoutMs;
    if (!(await lane.calls.begin(this.timeoutMs))) throw noTime();
    try {
      if (performance.now() < lane.silentUntil)
        throw this.tooLate(' a moment ago, so it was not asked again');
      return await this.answered(lane, deadline, work);
    } finally {
      lane.calls.end();
    }
  }

  /**
   * Does work for lists and renewals, which makes one call of this key at most. Further such work waits in line, so that
   * it leaves places to payments and webhooks.
   *
   * @param isWanted Whether a list or a renewal still waits when its turn comes. Otherwise the work is left out.
   * @throws KeyServiceError
   */
  async inLine<T>(id: string, isWanted: () => boolean, work: () => Promise<T>): Promise<T> {
    const { listed } = this.laneOf(id);
    // Each call before it ends in time, so its turn comes.
    await listed.begin(LONGEST_TIMER_MS);
    try {
      if (!isWanted()) throw notAsked();
      return await work();
    } finally {
      listed.end();
    }
  }

  private async answered<T>(
    lane: Lane,
    deadline: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const leftMs = deadline - performance.now();
    // It has waited for its place.
    if (leftMs < 1) throw noTime();
    const signal = AbortSignal.timeout(Math.ceil(leftMs));
    const calling = async (): Promise<T> => work(signal);
    const tooLate = this.tooLate();
    try {
      const answer = await withTimeout(calling(), deadline, () => tooLate);
      lane.silentUntil = 0;
      return answer;
    } catch (error) {
      // A client that heeds the signal rejects at the same moment.
      if (error === tooLate || signal.aborted) {
        const now = performance.now();
        if (now - deadline >= STOOD_STILL_MS) throw stoodStill();
        if (leftMs < this.timeoutMs / 2) throw noTime();
        lane.silentUntil = now + SILENCE_MS;
        throw tooLate;
      }
      throw new KeyServiceError(`The key service gave no usable answer: ${failureLabel(error)}.`);
    }
  }

  private laneOf(id: string): Lane {
    const known = this.lanes.get(id);
    if (known) return known;
    const lane = { calls: new Turns(AT_ONCE), listed: new Turns(LISTED_AT_ONCE), silentUntil: 0 };
    this.lanes.set(id, lane);
    return lane;
  }

  private tooLate(when = ''): KeyServiceError {
    return new KeyServiceError(`The key service did not answer within ${this.timeoutMs} ms${when}.`);
  }
}

/** Its turn did not come before the time of a list was over. */
export function notAsked(): KeyServiceError {
  return new KeyServiceError(
    `The key service was not asked in time: lists and renewals open ${LISTED_AT_ONCE} data keys at once.`,
  );
}

/** It was asked, and the time of a list was over first. */
export function notAnswered(): KeyServiceError {
  return new KeyServiceError('The key service had not answered when the time of the list was over.');
}

function stoodStill(): KeyServiceError {
  return new KeyServiceError(
    'The process stood still while the key service was asked, so its answer is not known.',
  );
}

/** The key service had no time, or too little: that is not its silence. */
function noTime(): KeyServiceError {
  return new KeyServiceError(
    `No time was left for the key service: all ${AT_ONCE} places for calls of this key were taken.`,
  );
}
