import { type SandboxClock } from '../clock/sandbox-clock.js';
import { timestamp } from '../core/collection.js';
import { type SandboxClockState } from './control-resources.js';

/** What the control API shows of the clock. */
export function sandboxClockState(clock: SandboxClock): SandboxClockState {
  return {
    kind: clock.kind,
    now: timestamp(clock.now()),
    frozen: clock.frozen,
    waiting: clock.waitingTasks,
  };
}
