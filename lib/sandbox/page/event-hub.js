/* global EventSource */
// One event stream for many listeners.
import { EVENTS } from './control.js';

const RETRY_MS = 2_000;
const NAMES = ['payment', 'payout', 'delivery', 'request', 'balance', 'faults', 'clock', 'reset'];

/**
 * Holds the stream while somebody listens. Listeners get `{ name, data }`: each event with its JSON, `live` and
 * `lost` for the connection, and `reset` when they must read the lists again.
 */
export class EventHub {
  #listeners = new Set();
  /** Who joined while the stream was not open, and has read nothing. */
  #newcomers = new Set();
  #stream;
  #retry;

  join(listener) {
    if (this.#listeners.has(listener)) return;
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#open();
    else if (this.#stream.readyState === EventSource.OPEN) listener({ name: 'reset' });
    else this.#newcomers.add(listener);
  }

  leave(listener) {
    this.#newcomers.delete(listener);
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    clearTimeout(this.#retry);
    this.#stream.close();
  }

  #open() {
    const stream = new EventSource(EVENTS);
    this.#stream = stream;
    let opened = false;
    for (const name of NAMES) stream.addEventListener(name, ({ data }) => this.#tell({ name, data }));
    stream.addEventListener('open', () => {
      // Later, the emulator sends what was missed, or `reset`.
      for (const listener of this.#listeners) {
        listener({ name: opened && !this.#newcomers.has(listener) ? 'live' : 'reset' });
      }
      this.#newcomers.clear();
      opened = true;
    });
    stream.addEventListener('error', () => {
      this.#tell({ name: 'lost' });
      // The browser reconnects by itself unless the answer was not a stream.
      if (stream.readyState !== EventSource.CLOSED) return;
      this.#retry = setTimeout(() => this.#open(), RETRY_MS);
    });
  }

  #tell(message) {
    for (const listener of this.#listeners) listener(message);
  }
}
