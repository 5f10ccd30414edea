import { type DeliveryStore } from './delivery.store.js';

/** How many jobs Redis removes at once. */
const TOGETHER = 1_000;
const SHORTEST_PAUSE_MS = 60_000;

/** Removes finished jobs once they are old enough. BullMQ does so only when a later one finishes: a quiet queue would keep them. */
export class FinishedJobs {
  private readonly timer: NodeJS.Timeout;
  private isStopped = false;

  constructor(
    private readonly store: Pick<DeliveryStore, 'run' | 'queue'>,
    private readonly keepMs: number,
  ) {
    const remove = (): void => {
      // The log of the queue says that Redis is away; the next turn removes them.
      this.remove().catch(() => undefined);
    };
    this.timer = setInterval(remove, Math.max(keepMs, SHORTEST_PAUSE_MS)).unref();
    remove();
  }

  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  private async remove(): Promise<void> {
    const { store, keepMs } = this;
    let removed = TOGETHER;
    while (removed === TOGETHER && !this.isStopped) {
      removed = (await store.run(() => store.queue.clean(keepMs, TOGETHER, 'completed'))).length;
    }
  }
}
