import { describe, expect, it } from 'vitest';
import { type StopSignal } from '../../../lib/cli/command.js';
import { runChild } from '../../../lib/cli/child-process.js';

/** Runs a child that waits, sends it these signals as the process would get them, and gives its exit code. */
async function endAfter(interactive: boolean, signals: readonly StopSignal[]) {
  const listeners = new Set<(signal: StopSignal) => void>();
  const ended = runChild([process.execPath, '-e', 'setInterval(() => {}, 1000)'], process.env, {
    terminal: { data: fail, say: fail, paint: (_, text) => text, paintData: (_, text) => text },
    onSignal: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    interactive,
  });
  for (const signal of signals) for (const listener of listeners) listener(signal);
  const code = await ended;
  return { code, listening: listeners.size };
}

function fail(line: string): never {
  throw new Error(line);
}

describe('a child process', () => {
  it('gets Ctrl-C once: from the terminal if there is one, else from here', async () => {
    expect(await endAfter(true, ['SIGINT', 'SIGTERM'])).toEqual({ code: 143, listening: 0 });
    expect(await endAfter(false, ['SIGINT'])).toEqual({ code: 130, listening: 0 });
  });
});
