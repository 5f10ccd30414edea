import { EventEmitter, once } from 'node:events';
import { pause } from '../../common/timing.js';
import { type BatchRecord } from '../../storage/batch-store.js';

/** Another process may change a batch, and nothing tells this one. */
const LOOK_EVERY_MS = 1_000;

/** Which batch something happened to. */
export type BatchPlace = Pick<BatchRecord, 'account' | 'batch' | 'load'>;

/** Wakes the callers in this process that wait for a change of a batch. */
export class BatchNotifier {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  /** @param heard Called with the batch of every change. */
  constructor(private readonly heard: (place: BatchPlace) => void) {}

  changed(place: BatchPlace): void {
    this.emitter.emit(place.load);
    this.heard(place);
  }

  /** Wakes all callers, because the application stops. */
  wakeAll(): void {
    for (const load of this.emitter.eventNames()) this.emitter.emit(load);
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
