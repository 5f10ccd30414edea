import { type PaymentsSandbox } from '../../sandbox/payments-sandbox.js';
import { parseCommandLine, type ValuesOf } from '../command-line.js';
import { type Command, type CommandContext, flag, text } from '../command.js';
import { type Terminal } from '../terminal.js';
import { SANDBOX_OPTIONS, readSandboxArguments } from './sandbox-arguments.js';
import { environmentOf } from './sandbox-environment.js';
import { logEvents, printEvents, startSandbox } from './start-sandbox.js';

const DEFAULT_PORT = 4242;

const OPTIONS = {
  port: text('<number>', 'port to listen on, 0 for any free one (default: 4242)'),
  ...SANDBOX_OPTIONS,
  'print-env': flag('print the .env lines for an application on stdout'),
  json: flag('print every event as one line of JSON on stdout'),
};

/** `nestjs-payments sandbox` */
export const sandboxCommand: Command = {
  name: 'sandbox',
  synopsis: '[options]',
  summary: "run the gateway's emulator, with a page that plays the customer's phone",
  about: "Runs the gateway's emulator on this machine until Ctrl-C.",
  options: OPTIONS,
  examples: [
    'sandbox --port 4242 --forward-to http://127.0.0.1:3000/webhooks/payments',
    'sandbox --profile adversarial --seed 42 --port 4242',
    'sandbox --auto --seed 7 --print-env > .env',
  ],
  run: runSandbox,
};

async function runSandbox(args: readonly string[], { terminal, onSignal }: CommandContext): Promise<number> {
  const { values } = parseCommandLine(args, OPTIONS, { positionals: false });
  const parsed = readSandboxArguments(values, DEFAULT_PORT);
  const stopped = new Promise<void>((resolve) => {
    const unsubscribe = onSignal(() => {
      unsubscribe(); // a second Ctrl-C ends the process at once
      resolve();
    });
  });
  const sandbox = await startSandbox(parsed, terminal);
  report(sandbox, parsed.forwardTo, values, terminal);
  if (values.json) printEvents(sandbox, terminal);
  else logEvents(sandbox, terminal);
  await stopped;
  await sandbox.stop();
  return 0;
}

function report(
  sandbox: PaymentsSandbox,
  forwardTo: URL | undefined,
  { 'print-env': printEnv, json }: ValuesOf<typeof OPTIONS>,
  { data, say, paint }: Terminal,
): void {
  const environment = environmentOf(sandbox.moduleOptions());
  if (json)
    data(JSON.stringify({ type: 'ready', page: `${sandbox.url}/`, seed: sandbox.seed, ...environment }));
  say(`${paint('green', 'Ready.')} The customer's phone: ${paint('bold', `${sandbox.url}/`)}`);
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  if (printEnv && !json) lines.forEach(data);
  else say(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
  say(
    forwardTo
      ? `Webhooks go to ${forwardTo.href}`
      : 'Webhooks go nowhere yet: start with --forward-to <url>.',
  );
  say(paint('dim', 'Everything is made up and kept in memory. Ctrl-C ends it.'));
  say('');
}
