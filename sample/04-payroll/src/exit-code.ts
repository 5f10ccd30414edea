/** The exit codes, for scripts. If several fit, the first of 3, 4, 5 counts. */
export const EXIT = {
  /** The check is complete, or the gateway accepted every line. */
  fine: 0,
  /** The file, its check or the configuration is wrong: nothing was sent. */
  problem: 1,
  /** The command line is wrong. */
  usage: 2,
  /** Some lines are unknown: their money may have moved. */
  unknown: 3,
  /** Stopped before the end, or the program could not continue: the same command does the rest. */
  stopped: 4,
  /** The gateway refused some lines, or they failed. */
  refused: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
