#!/usr/bin/env node
import { runCli } from './run-cli.js';
import { terminalOf } from './terminal.js';

// A reader that has read enough (`| head`) does not end the command.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const terminal = terminalOf(process);
process.exitCode = await runCli(process.argv.slice(2), terminal, stopSignal);

/** Resolves at Ctrl-C or SIGTERM. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
}
