#!/usr/bin/env node
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { type StopSignal } from './command.js';
import { failOnLostOutput } from './lost-output.js';
import { runCli } from './run-cli.js';
import { terminalOf } from './terminal.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies StopSignal[];

failOnLostOutput(process);

process.exitCode = await runCli(process.argv.slice(2), {
  terminal: terminalOf(process),
  environment: process.env,
  folder: process.cwd(),
  input: () => buffer(process.stdin),
  onSignal,
  interactive: process.stdin.isTTY,
  screen: process.stderr.isTTY ? process.stderr : undefined,
  ask,
});

function onSignal(listener: (signal: StopSignal) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}

function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.once('close', () => {
      resolve('');
    });
    // On a terminal, readline keeps Ctrl-C from the process. Those who listen to it have to hear it before the answer.
    lines.once('SIGINT', () => {
      process.emit('SIGINT', 'SIGINT');
      lines.close();
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
