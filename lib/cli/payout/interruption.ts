import { performance } from 'node:perf_hooks';
import { type CommandContext, type StopSignal } from '../command.js';

/** `npx` passes Ctrl-C on, which the terminal has sent to the command, too: both mean one press. */
const SAME_PRESS_MS = 1_000;

/**
 * Listens to Ctrl-C and to `kill` until the returned function is called: the first one asks, a second one ends the process at once,
 * which is as safe as a crash.
 */
export function onInterruption(
  onSignal: CommandContext['onSignal'],
  ask: () => void,
  { now = () => performance.now(), endProcess = endBy } = {},
): () => void {
  let askedAt: number | undefined;
  const stop = onSignal((signal) => {
    if (askedAt === undefined) {
      askedAt = now();
      ask();
    } else if (now() - askedAt >= SAME_PRESS_MS) {
      stop();
      endProcess(signal);
    }
  });
  return stop;
}

function endBy(signal: StopSignal): void {
  process.kill(process.pid, signal);
}
