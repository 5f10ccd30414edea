import { type Dispatcher } from 'undici';
import { type Carrier, type OutgoingRequest } from './carrier.js';
import { ResponseCollector } from './response-collector.js';
import { type SendWatch } from './send-watch.js';

/** Sends requests over an undici dispatcher. */
export class UndiciCarrier implements Carrier {
  /** Pending from an answer until its connection can be used again. */
  private restOfTurn: Promise<void> | undefined;

  constructor(private readonly dispatcher: Dispatcher) {}

  carry(request: OutgoingRequest, onStart?: () => void): ResponseCollector {
    return this.carryWatched(request, { sends: 0, over: false, onStart });
  }

  /** @param watch Told when the first byte is about to leave. */
  carryWatched(
    request: OutgoingRequest,
    watch: Pick<SendWatch, 'sends' | 'over' | 'onStart'>,
  ): ResponseCollector {
    const collector = new ResponseCollector(watch, this.answered);
    if (this.restOfTurn) {
      void this.restOfTurn.then(() => {
        this.dispatch(request, collector);
      });
    } else {
      this.dispatch(request, collector);
    }
    return collector;
  }

  private dispatch(
    { method, origin, path, headers, body }: OutgoingRequest,
    collector: ResponseCollector,
  ): void {
    this.dispatcher.dispatch(
      // The attempt's own timer bounds both times, to the millisecond.
      { method, origin, path, headers, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 },
      collector,
    );
  }

  /**
   * undici uses a connection again in the turn of the event loop after its answer. A call that does not wait for that opens
   * another one, with another handshake.
   */
  private readonly answered = (): void => {
    this.restOfTurn ??= new Promise((resolve) => {
      const end = (): void => {
        this.restOfTurn = undefined;
        resolve();
      };
      // undici asks for its own part of the next turn once this answer was handed over: first come, first served.
      queueMicrotask(() => setImmediate(end));
    });
  };
}
