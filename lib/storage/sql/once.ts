/** Work that is done once for all callers. */
interface Once {
  /** Starts the work, or joins the run that is under way. After a failure, the next call starts it again. */
  readonly begin: () => Promise<void>;
  /**
   * The next call starts a new run without waiting for this one, which may never end. The first success counts.
   */
  readonly beginAgain: (waitedFor: Promise<void>) => void;
}

export function once(work: () => Promise<void>): Once {
  let isDone = false;
  let running: Promise<void> | undefined;
  const attempt = async (): Promise<void> => {
    await work();
    isDone = true;
  };
  return {
    begin: () => {
      if (isDone) return Promise.resolve();
      if (running) return running;
      const begun = attempt().catch((error: unknown) => {
        if (running === begun) running = undefined;
        throw error;
      });
      running = begun;
      return begun;
    },
    beginAgain: (waitedFor) => {
      if (running === waitedFor) running = undefined;
    },
  };
}
