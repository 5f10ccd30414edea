const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** As a shell counts a program that Ctrl-C ended. */
const ENDED_BY_CTRL_C = 130;

/** Ctrl-C, or a terminal that is closed: the first one asks to stop when what is under way has ended, the second one ends the process. */
export class Interruption {
  private asked = false;

  /** Hears the signals until the returned function is called. */
  listen(onAsked: () => void): () => void {
    const heard = (): void => {
      // Nothing is lost: what is under way stands in the journal, and the next run asks the gateway about it.
      if (this.asked) process.exit(ENDED_BY_CTRL_C);
      this.asked = true;
      onAsked();
    };
    for (const signal of SIGNALS) process.on(signal, heard);
    return () => {
      for (const signal of SIGNALS) process.off(signal, heard);
    };
  }
}
