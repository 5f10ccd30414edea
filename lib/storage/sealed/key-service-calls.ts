import { performance } from 'node:perf_hooks';
import { withTimeout } from '../../common/timing.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { KeyServiceError } from './encryption.js';

/** Calls at once for one key. A list may need hundreds of data keys. */
const AT_ONCE = 16;

/** How long further calls fail at once after a call that was not answered in time: a list must not wait for each. */
const SILENCE_MS = 1_000;

/** A time limit that ends so much too late says that this process stood still, and nothing about the key service. */
const STOOD_STILL_MS = 100;

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
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
    const turn = begin(lane);
    try {
      await withTimeout(turn, deadline, () => this.tooLate());
    } catch (error) {
      void turn.then(() => {
        end(lane);
      });
      throw error;
    }
    try {
      if (performance.now() < lane.silentUntil) throw this.tooLate();
      return await this.answered(lane, deadline, work);
    } finally {
      end(lane);
    }
  }

  private async answered<T>(
    lane: Lane,
    deadline: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())));
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
        lane.silentUntil = now + SILENCE_MS;
        throw tooLate;
      }
      throw new KeyServiceError(`The key service gave no usable answer: ${failureLabel(error)}.`);
    }
  }

  private laneOf(id: string): Lane {
    const known = this.lanes.get(id);
    if (known) return known;
    const lane = { running: 0, waiting: [], silentUntil: 0 };
    this.lanes.set(id, lane);
    return lane;
  }

  private tooLate(): KeyServiceError {
    return new KeyServiceError(`The key service did not answer within ${this.timeoutMs} ms.`);
  }
}

function stoodStill(): KeyServiceError {
  return new KeyServiceError(
    'The process stood still while the key service was asked, so its answer is not known.',
  );
}

/** Resolves when it is the turn of a call. */
function begin(lane: Lane): Promise<void> {
  if (lane.running >= AT_ONCE) return new Promise((resolve) => lane.waiting.push(resolve));
  lane.running += 1;
  return Promise.resolve();
}

/** Hands the turn over. */
function end(lane: Lane): void {
  const next = lane.waiting.shift();
  if (next) next();
  else lane.running -= 1;
}
