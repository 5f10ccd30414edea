import { expect, it, vi } from 'vitest';
import { type StopSignal } from '../../../../lib/cli/command.js';
import { onInterruption } from '../../../../lib/cli/payout/interruption.js';

function listening() {
  let listener: ((signal: StopSignal) => void) | undefined;
  let now = 0;
  const pause = vi.fn();
  const endProcess = vi.fn();
  const stop = onInterruption(
    (given) => {
      listener = given;
      return () => (listener = undefined);
    },
    { pause, endProcess, now: () => now },
  );
  const press = (signal: StopSignal, atMs: number): void => {
    now = atMs;
    listener?.(signal);
  };
  return { pause, endProcess, press, stop, isListening: () => listener !== undefined };
}

it('pauses once at the first Ctrl-C, and takes what npx passes on for the same press', () => {
  const { pause, endProcess, press, isListening } = listening();
  press('SIGINT', 0);
  press('SIGINT', 5);
  press('SIGINT', 999);
  expect(pause).toHaveBeenCalledOnce();
  expect(endProcess).not.toHaveBeenCalled();
  expect(isListening()).toBe(true);
});

it('ends the process at a second one, when it does not listen any more', () => {
  const { pause, endProcess, press, isListening } = listening();
  endProcess.mockImplementation(() => {
    expect(isListening()).toBe(false);
  });
  press('SIGINT', 0);
  press('SIGTERM', 1_000);
  expect(pause).toHaveBeenCalledOnce();
  expect(endProcess).toHaveBeenCalledExactlyOnceWith('SIGTERM');
});

it('hears nothing any more once it was stopped', () => {
  const { pause, press, stop } = listening();
  stop();
  press('SIGINT', 0);
  expect(pause).not.toHaveBeenCalled();
});
