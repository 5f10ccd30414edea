import { optionsFromEnvironment } from '../../config/environment-options.js';
import { optionErrors } from '../../errors/option-errors.js';
import { resolveCredentials } from '../../config/resolve-credentials.js';
import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext } from '../command.js';
import { applicationEnvironment } from '../environment.js';
import { UsageError } from '../usage-error.js';
import { CONFORMANCE_OPTIONS } from './conformance-options.js';
import { type ConformanceArguments, readConformanceArguments } from './conformance-arguments.js';
import { PERSON_QUESTIONS } from './questions/person.questions.js';
import { QUESTIONS } from './questions/questions.js';
import { planDocument, planLines } from './report/plan-lines.js';
import { runConformance } from './run-conformance.js';
import { planRun, type RunPlan } from './run/plan.js';

/** `nestjs-payments conformance` */
export const conformanceCommand: Command = {
  name: 'conformance',
  synopsis: '--plan | --max-amount <TZS> [options]',
  summary: 'ask a gateway with test keys what the specification leaves open',
  about: [
    'Asks the gateway of PAYMENTS_BASE_URL, with test keys alone, and says what holds, what differs, what was learnt and',
    'what stays open. Only phone and account numbers that you write are ever asked or paid, and never more than --max-amount.',
    'Each request is written down before it is sent: after Ctrl-C the same command continues, and sends nothing twice.',
    '',
    'Exit codes: 0 the run has ended, 1 it was stopped or continues in an hour, or --check found a change or nothing to compare, 2 the command line is wrong.',
  ].join('\n'),
  options: CONFORMANCE_OPTIONS,
  examples: [
    'conformance --plan --phone 255XXXXXXXXX --max-amount 100',
    'conformance --phone 255XXXXXXXXX --max-amount 100 --out gateway.json --report report.html',
    'conformance --listen 8080 --public-url https://shop.example/webhooks --phone 255XXXXXXXXX --max-amount 100',
    'conformance --phone 255XXXXXXXXX --max-amount 100 --check gateway.json',
  ],
  run: runCommand,
};

async function runCommand(words: readonly string[], context: CommandContext): Promise<number> {
  const { values } = parseCommandLine(words, CONFORMANCE_OPTIONS, { positionals: false });
  const args = readConformanceArguments(values, context.folder);
  const plan = planOf(args);
  const environment = applicationEnvironment(values.dotenv, context);
  if (values.plan) {
    const address = environment['PAYMENTS_BASE_URL'] ?? '';
    const gateway = URL.canParse(address) ? new URL(address).origin : undefined;
    const { data, paintData } = context.terminal;
    if (values.json) data(JSON.stringify(planDocument(plan, gateway)));
    else planLines(plan, gateway, paintData).forEach(data);
    return 0;
  }
  const options = optionsFromEnvironment(environment);
  const credentials = resolveCredentials(options, optionErrors('default'));
  const apiSecret = credentials.apiSecret();
  if (apiSecret === undefined) throw new UsageError('PAYMENTS_API_SECRET is not set: both keys are needed.');
  const secrets = (options.webhooks?.secrets ?? []).map((secret) =>
    typeof secret === 'string' ? secret : secret.value,
  );
  return runConformance({
    args,
    plan,
    gateway: { baseUrl: credentials.baseUrl, apiKey: credentials.apiKey(), apiSecret },
    secrets,
    context,
    isJson: values.json === true,
  });
}

/** A person at a phone is asked only if the webhooks can be heard. */
function planOf({ inputs, caps, listen }: ConformanceArguments): RunPlan {
  return planRun(inputs, caps, listen ? [...QUESTIONS, ...PERSON_QUESTIONS] : QUESTIONS);
}
