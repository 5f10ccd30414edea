const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A shell's exit code for a program that Ctrl-C ended. */
const ENDED_BY_CTRL_C = 130;

/**
 * Ctrl-C or a closed terminal. The first signal asks to stop after the running payments, the second one ends
 * the process.
 */
export class Interruption {
  private asked = false;

  /** Listens to the signals until the returned function is called. */
  listen(onAsked: () => void): () => void {
    const heard = (): void => {
      // Nothing is lost: the journal has the running payments, and the next run asks the gateway about them.
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
