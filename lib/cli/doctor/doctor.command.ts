import { resolve } from 'node:path';
import { parseCommandLine, type ValuesOf } from '../command-line.js';
import { type Command, type CommandContext, flag, text } from '../command.js';
import { applicationEnvironment } from '../environment.js';
import { httpAddress, oneOf } from '../option-values.js';
import { packageFacts } from '../package-facts.js';
import { findApplications, projectChoices } from '../project/applications.js';
import { packageManagerOf } from '../project/package-manager.js';
import { packageTree } from '../project/package-tree.js';
import { chosenScheme } from '../webhooks/scheme-options.js';
import { secretsOf, sentHeaders, SIGNING_OPTIONS } from '../webhooks/signing-options.js';
import { type CheckResult, skipped } from './check.js';
import { checkLines, summaryLine } from './check-lines.js';
import { credentialCheck, secretCheck, timeoutCheck, variableCheck } from './configuration.checks.js';
import { gatewayChecks } from './gateway.checks.js';
import { nodeCheck, peerChecks } from './runtime.checks.js';
import { webhookChecks } from './webhook.checks.js';

const OPTIONS = {
  webhook: text('<url>', 'webhook route to try with a good, an unsigned, an altered and a stale event'),
  project: text(
    '<name>',
    "the application's folder, or its name in Nest's command line or Nx (default: this one)",
  ),
  environment: text('<name>', 'what the keys have to be for: sandbox or production'),
  auth: text('<name>', 'how keys are sent: headers or bearer (default: headers)'),
  json: flag('print every check as one line of JSON'),
  ...SIGNING_OPTIONS,
};

/** `nestjs-payments doctor` */
export const doctorCommand: Command = {
  name: 'doctor',
  synopsis: '[options]',
  summary: 'check versions, variables, keys, gateway, clock and webhook route',
  about: [
    'Checks everything that an application needs and says what to fix. It reads the balance once at the gateway, and with',
    '--webhook delivers events named doctor.check, which are about no payment. Secrets are never printed.',
  ].join('\n'),
  options: OPTIONS,
  examples: [
    'doctor',
    'doctor --environment production --dotenv .env.production',
    'doctor --webhook http://127.0.0.1:3000/webhooks/payments',
  ],
  run: runDoctor,
};

async function runDoctor(args: readonly string[], context: CommandContext): Promise<number> {
  const { values } = parseCommandLine(args, OPTIONS, { positionals: false });
  const { data, paintData } = context.terminal;
  const results: CheckResult[] = [];
  for await (const result of checks(values, context)) {
    results.push(result);
    if (values.json) data(JSON.stringify(result));
    else checkLines(result, paintData).forEach(data);
  }
  if (!values.json) data(`\n${summaryLine(results, paintData)}`);
  return results.some(({ state }) => state === 'failed') ? 1 : 0;
}

async function* checks(
  values: ValuesOf<typeof OPTIONS>,
  context: CommandContext,
): AsyncGenerator<CheckResult> {
  const wanted = {
    environment: oneOf('--environment', values.environment, ['sandbox', 'production']),
    auth: oneOf('--auth', values.auth, ['headers', 'bearer']),
  };
  const webhook = values.webhook === undefined ? undefined : httpAddress('--webhook', values.webhook);
  const chosen = chosenScheme(values);
  const { folder, choices } = projectFolder(context.folder, values.project);
  const manager = packageManagerOf(folder, context.folder, context.environment);
  const environment = applicationEnvironment(
    values.dotenv,
    values.dotenv === undefined ? { ...context, folder } : context,
  );
  const secrets = secretsOf(values, environment);
  const sent = sentHeaders(values, context.folder);
  const facts = packageFacts();

  yield nodeCheck(process.versions.node, facts);
  if (choices === undefined) yield* peerChecks(packageTree(folder), facts, manager);
  else yield skipped('Packages', 'there are several applications here', `Choose one: write ${choices}.`);
  yield variableCheck(environment, values.auth, manager);
  const { result, credentials } = credentialCheck(environment, wanted);
  yield result;
  yield* timeoutCheck(environment);
  if (credentials) yield* await gatewayChecks(credentials);
  else yield skipped('Gateway', 'not asked', 'Fix address and keys first.');
  const { result: secretResult, signing } = secretCheck(chosen, secrets);
  yield secretResult;
  if (webhook && signing) yield* await webhookChecks(webhook, { ...signing, sent });
  else
    yield skipped(
      'Webhook route',
      'not tried',
      'Start the application, and write --webhook <url> of its route.',
    );
}

/**
 * The folder with the packages and the .env of an application. If there are several with folders of their own:
 * the options that choose one.
 */
function projectFolder(
  place: string,
  project: string | undefined,
): { readonly folder: string; readonly choices?: string } {
  const { meant } = findApplications(place, project);
  const [folder, ...others] = new Set(meant.map((one) => one.folder));
  if (folder === undefined) return { folder: resolve(place, project ?? '.') };
  return others.length === 0 ? { folder } : { folder: place, choices: projectChoices(meant) };
}
