import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { type PaymentsSandbox } from '../../sandbox/payments-sandbox.js';
import { FolderLostError } from '../../sandbox/state/folder-lock.js';
import { parseCommandLine, type ValuesOf } from '../command-line.js';
import { type Command, type CommandContext, flag, text } from '../command.js';
import { type Terminal } from '../terminal.js';
import {
  SANDBOX_OPTIONS,
  hasPassingSecret,
  readSandboxArguments,
  type SandboxArguments,
  withFolderSecret,
  withSecretOf,
} from './sandbox-arguments.js';
import { inQuotes, openEnvFile } from './env-file.js';
import { folderSecret } from './folder-secret.js';
import { networkUrls } from './network-urls.js';
import { openBrowser } from './open-browser.js';
import { ENVIRONMENT_NAMES, environmentOf } from './sandbox-environment.js';
import { readSeedFile } from './seed-file.js';
import { logEvents, printEvents, startSandbox } from './start-sandbox.js';

const DEFAULT_PORT = 4242;

const OPTIONS = {
  port: text('<number>', 'port to listen on, 0 for any free one (default: 4242)'),
  ...SANDBOX_OPTIONS,
  'write-env': text('<file>', "write the application's variables into this file, and keep its other lines"),
  'print-env': flag("print the application's variables on stdout, as lines of .env"),
  open: flag('open the page in the browser, where there is one'),
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
    'sandbox --forward-to http://127.0.0.1:3000/webhooks/payments --write-env .env',
    'sandbox --profile adversarial --seed 42 --port 4242',
    'sandbox --profile gateway.json',
    'sandbox --auto --seed 7 --port 0 --print-env',
    'sandbox --data .payments-sandbox --write-env .env',
    'sandbox --seed-file shop.yaml --data .payments-sandbox',
    'sandbox --clock manual --balance 50000.00 --fees collection=1.5,payout=0 --open',
    'sandbox --allow-remote --host 0.0.0.0 --forward-to http://192.168.1.20:3000/webhooks/payments',
  ],
  run: runSandbox,
};

async function runSandbox(
  args: readonly string[],
  { terminal, onSignal, folder, environment }: CommandContext,
): Promise<number> {
  const { values } = parseCommandLine(args, OPTIONS, { positionals: false });
  const file = values['write-env'];
  const envFile = file === undefined ? undefined : openEnvFile(resolve(folder, file), ENVIRONMENT_NAMES);
  const seedFile = await readSeedFile(values['seed-file'], folder);
  const read = readSandboxArguments(values, DEFAULT_PORT, { environment, folder }, seedFile);
  const withFile = envFile ? withSecretOf(envFile.variables, read) : read;
  const parsed = withFolderSecret(folderSecret(folder, environment), withFile);
  const stopped = new Promise<void>((resolve) => {
    const unsubscribe = onSignal(() => {
      unsubscribe(); // a second Ctrl-C ends the process at once
      resolve();
    });
  });
  const sandbox = await startSandbox(parsed, terminal);
  try {
    envFile?.write(environmentOf(sandbox, seedFile));
    report(sandbox, parsed, values, terminal);
    if (values.open && !(await openBrowser(sandbox.pageUrl, environment)))
      terminal.say('There is no browser to open here.');
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
  if (values.json) printEvents(sandbox, terminal);
  else logEvents(sandbox, terminal);
  let failure: Error | undefined;
  const lost = sandbox.failed?.then((error) => {
    failure = error;
    // With a full disk it continues, and answers every call with what to do. A lost folder is another emulator's.
    return error instanceof FolderLostError ? undefined : stopped;
  });
  await Promise.race([stopped, lost ?? stopped]);
  // It rejects if a change could not be written. Then the message is already there.
  await sandbox.stop().catch((error: unknown) => {
    if (error !== failure) throw error;
  });
  return failure ? 1 : 0;
}

function report(
  sandbox: PaymentsSandbox,
  parsed: SandboxArguments,
  { 'print-env': printEnv, 'write-env': file, json }: ValuesOf<typeof OPTIONS>,
  { data, say, paint }: Terminal,
): void {
  const { options, seedFile } = parsed;
  const { pageUrl: page, seed, controlToken: token } = sandbox;
  const environment = environmentOf(sandbox, seedFile);
  if (json) data(JSON.stringify({ type: 'ready', page, seed, token, ...environment }));
  say(`${paint('green', 'Ready.')} The customer's phone: ${paint('bold', page)}`);
  for (const url of networkUrls(options.host ?? '', new URL(sandbox.url).port, networkInterfaces()))
    say(`From other machines: ${sandbox.pageUrlAt(url)}`);
  if (token !== undefined)
    say('Anyone who has this link can use the page. The gateway itself takes any test keys.');
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${inQuotes(value)}`);
  if (file !== undefined) say(`The variables of the application are in ${file}: start it now.`);
  if (printEnv && !json) lines.forEach(data);
  else if (file === undefined) say(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`);
  webhookLines(sandbox).forEach(say);
  if (file === undefined && hasPassingSecret(parsed))
    say(
      'The webhook secret is another one at each start, because no folder keeps it: set HOME, or start with --data or --write-env.',
    );
  const place = options.data ?? 'memory';
  say(paint('dim', `Everything is made up and kept in ${place}. Ctrl-C ends it.`));
  say('');
}

/** Also those of a seed file, and of the folder that it continues with. */
function webhookLines({ endpoints }: PaymentsSandbox): readonly string[] {
  const all = endpoints.list();
  if (all.length === 0) return ['Webhooks go nowhere yet: start with --forward-to <url>.'];
  const enabled = all.filter((endpoint) => endpoint.enabled);
  if (enabled.length === 0)
    return ['Webhooks go nowhere, because every address is turned off: turn one on at the page.'];
  return enabled.map(
    ({ merchant, url }) => `Webhooks${merchant === undefined ? '' : ` of ${merchant}`} go to ${url.href}`,
  );
}
