/** What the program ends with, for scripts around it. Where several fit, the first of 3, 4, 5 counts. */
export const EXIT = {
  /** Checked, or every line was taken by the gateway. */
  fine: 0,
  /** The file, its check or the configuration is wrong: nothing was sent. */
  problem: 1,
  /** The command line cannot be understood. */
  usage: 2,
  /** Money of some lines may have moved, and nobody knows. */
  unknown: 3,
  /** Stopped before the end, or the program could not go on: the same command does the rest. */
  stopped: 4,
  /** The gateway refused some lines, or they failed. */
  refused: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
