import { type PaymentsSandbox } from '../../sandbox/payments-sandbox.js';
import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext, type OptionSpecs } from '../command.js';
import { type Terminal } from '../terminal.js';
import { SANDBOX_OPTIONS, readSandboxArguments } from './sandbox-arguments.js';
import { environmentOf } from './sandbox-environment.js';
import { logEvents, printEvents, sayHowToRepeat, startSandbox } from './start-sandbox.js';

const DEFAULT_PORT = 4242;

const OPTIONS = {
  port: { type: 'string', value: '<number>', says: 'port to listen on, 0 for any free one (default: 4242)' },
  ...SANDBOX_OPTIONS,
  'print-env': { type: 'boolean', says: 'print the .env lines for an application on stdout' },
  json: { type: 'boolean', says: 'print every event as one line of JSON on stdout' },
} as const satisfies OptionSpecs;

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
  const sandbox = await startSandbox(parsed);
  sayHowToRepeat(sandbox, parsed, terminal);
  report(sandbox, { ...values, forwardTo: parsed.forwardTo }, terminal);
  if (values.json) printEvents(sandbox, terminal);
  else logEvents(sandbox, terminal);
  await stopped;
  await sandbox.stop();
  return 0;
}

interface ReportWish {
  readonly forwardTo: URL | undefined;
  readonly 'print-env'?: boolean;
  readonly json?: boolean;
}

function report(
  sandbox: PaymentsSandbox,
  { forwardTo, 'print-env': printEnv, json }: ReportWish,
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
