import { EventEmitter, once } from 'node:events';
import { pause } from '../../common/timing.js';

/** Another process may change a batch, and nothing tells this one. */
const LOOK_EVERY_MS = 1_000;

/** Wakes those in this process who wait for a change of a batch. */
export class BatchNotifier {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  changed(load: string): void {
    this.emitter.emit(load);
  }

  /** Resolves at the next change that this process makes, or after a second. Create it before you look. */
  next(load: string): { readonly changed: Promise<unknown>; readonly release: () => void } {
    const end = new AbortController();
    const { signal } = end;
    const changed = Promise.race([
      once(this.emitter, load, { signal }).catch(() => undefined),
      pause(LOOK_EVERY_MS, signal),
    ]);
    return {
      changed,
      release: () => {
        end.abort();
      },
    };
  }
}
