import { PaymentsSandbox } from '../sandbox/payments-sandbox.js';
import { environmentOf } from './environment.js';
import { deliveryData, deliveryLines, requestData, requestLines } from './event-log.js';
import { type SandboxArguments, sandboxArguments } from './sandbox-arguments.js';
import { type Terminal } from './terminal.js';

export const SANDBOX_USAGE = `Usage: nestjs-payments sandbox [options]

Runs the gateway's emulator on this machine until Ctrl-C.

Options:
  --port <number>     port to listen on, 0 for any free one (default: 4242)
  --host <address>    loopback address to listen on (default: 127.0.0.1)
  --forward-to <url>  where webhooks go, such as http://127.0.0.1:3000/webhooks/payments
  --auto              approve payments and pay payouts by itself after two seconds
  --seed <number>     the same ids and the same webhook secret at every start
  --print-env         print the .env lines for an application on stdout
  --json              print every event as one line of JSON on stdout
  -h, --help          show this`;

/** `nestjs-payments sandbox` */
export async function runSandbox(
  args: readonly string[],
  terminal: Terminal,
  untilStopped: () => Promise<void>,
): Promise<number> {
  const wanted = sandboxArguments(args);
  if (wanted.help) {
    terminal.data(SANDBOX_USAGE);
    return 0;
  }
  const stopped = untilStopped();
  const sandbox = await PaymentsSandbox.start(wanted.options);
  if (wanted.forwardTo) sandbox.deliverTo(wanted.forwardTo.href);
  report(sandbox, wanted, terminal);
  follow(sandbox, wanted, terminal);
  await stopped;
  await sandbox.stop();
  return 0;
}

function report(
  sandbox: PaymentsSandbox,
  { forwardTo, printEnv, json }: SandboxArguments,
  { data, say, paint }: Terminal,
): void {
  const environment = environmentOf(sandbox.moduleOptions());
  if (json) data(JSON.stringify({ type: 'ready', page: `${sandbox.url}/`, ...environment }));
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

function follow(sandbox: PaymentsSandbox, { json }: SandboxArguments, { say, data, paint }: Terminal): void {
  sandbox.on('exchange', ({ request }) => {
    if (json) data(JSON.stringify(requestData(request)));
    else requestLines(request, paint).forEach(say);
  });
  sandbox.on('delivery', (delivery) => {
    if (json) data(JSON.stringify(deliveryData(delivery)));
    else deliveryLines(delivery, paint).forEach(say);
  });
}
