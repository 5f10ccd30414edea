import { performance } from 'node:perf_hooks';
import { type CommandContext, type StopSignal } from '../command.js';

/** `npx` passes Ctrl-C on, which the terminal has sent to the command, too: both mean one press. */
const SAME_PRESS_MS = 1_000;

interface Reactions {
  readonly pause: () => void;
  /** Called when nothing listens any more. */
  readonly endProcess: (signal: StopSignal) => void;
  readonly now?: () => number;
}

/**
 * Listens to Ctrl-C and to `kill` until the returned function is called: the first one pauses, a second one ends the process at
 * once, which is as safe as a crash.
 */
export function onInterruption(
  onSignal: CommandContext['onSignal'],
  { pause, endProcess, now = () => performance.now() }: Reactions,
): () => void {
  let pausedAt: number | undefined;
  const stop = onSignal((signal) => {
    if (pausedAt === undefined) {
      pausedAt = now();
      pause();
    } else if (now() - pausedAt >= SAME_PRESS_MS) {
      stop();
      endProcess(signal);
    }
  });
  return stop;
}
