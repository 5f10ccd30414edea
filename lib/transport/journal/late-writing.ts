/** Eight tries in 25 seconds. */
const FIRST_REWRITE_MS = 100;
const LAST_REWRITE_MS = 12_800;

/**
 * What could not be written to the journal, tried again while the lease of its call holds. Until it is written, the journal
 * takes the call for one that was cut off, and would send a payment once more whose caller was told that it was refused, or
 * never sent.
 */
export class LateWriting {
  private readonly waiting = new Set<() => Promise<void>>();

  add(write: () => Promise<unknown>, afterMs = FIRST_REWRITE_MS): void {
    if (afterMs > LAST_REWRITE_MS) return;
    const tryNow = async (): Promise<void> => {
      clearTimeout(timer);
      this.waiting.delete(tryNow);
      await write().catch(() => {
        this.add(write, afterMs * 2);
      });
    };
    const timer = setTimeout(() => void tryNow(), afterMs).unref();
    this.waiting.add(tryNow);
  }

  /** Tries everything once more, without waiting any longer. */
  async lastTry(): Promise<void> {
    await Promise.all([...this.waiting].map((tryNow) => tryNow()));
  }
}
