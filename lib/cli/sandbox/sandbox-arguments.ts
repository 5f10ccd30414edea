import { didYouMean } from '../../common/closest-word.js';
import { dataFolderOf, resolveSandboxOptions } from '../../sandbox/resolve-sandbox-options.js';
import { type PaymentsSandboxOptions } from '../../sandbox/sandbox-options.js';
import { type ValuesOf } from '../command-line.js';
import { type CommandContext, flag, text, texts } from '../command.js';
import { readProfileFile } from '../gateway-profile-file.js';
import { httpAddress, localAddress, oneOf, wholeNumber } from '../option-values.js';
import { type SeedFile } from './seed-file.js';
import { asUsage, UsageError } from '../usage-error.js';
import { chosenScheme, SCHEME_OPTIONS } from '../webhooks/scheme-options.js';

/** The variable with the token of the control API and the page. */
export const TOKEN_VARIABLE = 'PAYMENTS_SANDBOX_TOKEN';

/** The variable with the secret that signs webhooks. */
const SECRET_VARIABLE = 'PAYMENTS_WEBHOOK_SECRET';

const OWN_PROFILES = ['documented', 'adversarial'] as const;

/** `--webhook-secret`: each command has a default of its own. */
export function secretOption(byDefault: string) {
  const secret = `secret that signs webhooks; better in ${SECRET_VARIABLE}`;
  return text('<text>', `${secret} (default: ${byDefault})`);
}

/** The options of every command that starts an emulator. */
export const SANDBOX_OPTIONS = {
  host: text(
    '<address>',
    'address to listen on (default: 127.0.0.1); beyond this machine with --allow-remote',
  ),
  'allow-host': texts(
    '<name>',
    'one more host name to answer under, such as host.docker.internal for containers; repeatable',
  ),
  'allow-remote': flag(
    'let other machines call it, and let webhooks go to them; its page then needs a token',
  ),
  token: text('<text>', `token of the control API and the page; better in ${TOKEN_VARIABLE}`),
  'forward-to': text('<url>', 'where webhooks go, such as http://127.0.0.1:3000/webhooks/payments'),
  auto: flag('approve payments and pay payouts by itself after two seconds'),
  profile: text(
    '<name>',
    'documented, adversarial: vary all that the specification leaves open, or a file: the gateway that was observed (default: documented)',
  ),
  seed: text('<number>', 'the same ids and the same webhook secret at every start'),
  data: text(
    '<folder>',
    'keep the state here: the next start continues with it, also after a kill (default: memory only)',
  ),
  'seed-file': text(
    '<file>',
    'YAML file with what it begins with: merchants, balances, names, faults, payments, options',
  ),
  clock: text(
    '<name>',
    'real, or manual: time moves on the page and by the control API only (default: real)',
  ),
  balance: text('<amount>', "each merchant's balance at the start (default: 1000000.00)"),
  fees: text('<list>', 'fees as collection=<per cent>,payout=<amount> (default: collection=2,payout=500.00)'),
  'expire-after': text('<duration>', 'how long a payment waits for its customer (default: 15m)'),
  'webhook-secret': secretOption('that of --data or --write-env, else one of the folder where it starts'),
  'webhook-timeout': text('<ms>', 'longest time of one webhook delivery (default: 15000)'),
  ...SCHEME_OPTIONS,
};

/** The emulator's settings from the arguments. */
export interface SandboxArguments {
  readonly options: PaymentsSandboxOptions;
  readonly forwardTo: URL | undefined;
  readonly seedFile?: SeedFile;
}

type SandboxValues = ValuesOf<typeof SANDBOX_OPTIONS> & { readonly port?: string };
type Fees = NonNullable<PaymentsSandboxOptions['fees']>;

/** A number alone could be minutes as well as milliseconds, so the command line takes none. */
const EXPIRY_RULE = "must be a number with its unit: write '15m', '90s' or '250ms'";

/** The options of the library as the command line names them, where the names differ. */
const FLAGS: Readonly<Record<string, string>> = {
  allowedHosts: 'allow-host',
  controlToken: `token (or ${TOKEN_VARIABLE})`,
  startingBalance: 'balance',
  'fees.collectionPercent': 'fees collection',
  'fees.payout': 'fees payout',
  expireAfter: 'expire-after',
  webhookScheme: 'scheme',
  webhookSecret: `webhook-secret (or ${SECRET_VARIABLE})`,
  webhookTimeoutMs: 'webhook-timeout',
};

/** @throws UsageError that says what to write instead. */
export function readSandboxArguments(
  values: SandboxValues,
  defaultPort: number,
  context: Pick<CommandContext, 'environment' | 'folder'>,
  seedFile?: SeedFile,
): SandboxArguments {
  const world = seedFile?.world;
  const options = { ...sandboxOptions(values, defaultPort, context), ...(world && { world }) };
  asUsage(() => {
    dataFolderOf(options);
    resolveSandboxOptions(options);
  }, inFlags);
  const forwardTo = values['forward-to'];
  const addressOf = options.allowRemote ? httpAddress : localAddress;
  return {
    options,
    ...(seedFile && { seedFile }),
    forwardTo: forwardTo === undefined ? undefined : addressOf('--forward-to', forwardTo),
  };
}

function sandboxOptions(
  values: SandboxValues,
  defaultPort: number,
  { environment, folder }: Pick<CommandContext, 'environment' | 'folder'>,
): PaymentsSandboxOptions {
  const given = {
    host: values.host,
    allowRemote: values['allow-remote'],
    controlToken: values.token ?? tokenOf(environment),
    profile: values.profile === undefined ? undefined : profileOf(values.profile, folder),
    seed: wholeNumber('--seed', values.seed, [0, 2 ** 32 - 1]),
    clock: oneOf('--clock', values.clock, ['real', 'manual']),
    auto: values.auto,
    startingBalance: values.balance,
    fees: values.fees === undefined ? undefined : feesOf(values.fees),
    expireAfter: values['expire-after'],
    data: values.data,
    webhookSecret: values['webhook-secret'] ?? firstSecret(environment),
    webhookScheme: namesScheme(values) ? chosenScheme(values).scheme : undefined,
    webhookTimeoutMs: wholeNumber('--webhook-timeout', values['webhook-timeout'], [1, 600_000]),
  };
  return {
    port: wholeNumber('--port', values.port, [0, 65_535]) ?? defaultPort,
    allowedHosts: values['allow-host'] ?? [],
    ...(Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    ) as PaymentsSandboxOptions),
  };
}

/** One of the emulator's own, else that in a file. */
function profileOf(name: string, folder: string): PaymentsSandboxOptions['profile'] {
  const own = OWN_PROFILES.find((profile) => profile === name);
  return own ?? readProfileFile('--profile', name, folder, didYouMean(name, OWN_PROFILES));
}

function namesScheme(values: SandboxValues): boolean {
  return Object.keys(SCHEME_OPTIONS).some((option) => values[option as keyof SandboxValues] !== undefined);
}

/** Adds the secret of an env file that an earlier start wrote, unless something else names one. */
export function withSecretOf(variables: NodeJS.Dict<string>, parsed: SandboxArguments): SandboxArguments {
  const webhookSecret = firstSecret(variables);
  const { options } = parsed;
  if (webhookSecret === undefined || namesSecret(options)) return parsed;
  const kept = { ...options, webhookSecret };
  try {
    resolveSandboxOptions(kept);
    return { ...parsed, options: kept };
  } catch {
    return parsed; // such as the placeholder of an example
  }
}

/**
 * Adds the secret of the folder in which the emulator starts, unless something else names one or keeps one.
 *
 * @param secret Undefined: the emulator makes a new one.
 */
export function withFolderSecret(secret: string | undefined, parsed: SandboxArguments): SandboxArguments {
  const { options } = parsed;
  if (secret === undefined || options.data !== undefined || namesSecret(options)) return parsed;
  return { ...parsed, options: { ...options, webhookSecret: secret } };
}

/** Whether the options determine the webhook secret. */
function namesSecret(options: PaymentsSandboxOptions): boolean {
  const { webhookSecret, seed } = { ...options.world, ...options };
  return webhookSecret !== undefined || seed !== undefined;
}

/** Whether each start makes a new secret, which nothing keeps. */
export function hasPassingSecret({ options }: SandboxArguments): boolean {
  return options.data === undefined && !namesSecret(options);
}

/** Undefined if it is empty, as Compose's `${TOKEN:-}` makes it. */
function tokenOf({ [TOKEN_VARIABLE]: token = '' }: NodeJS.Dict<string>): string | undefined {
  return token.trim() === '' ? undefined : token;
}

/** The first of a list of secrets: the application takes all of them. */
function firstSecret({ [SECRET_VARIABLE]: secrets }: NodeJS.Dict<string>): string | undefined {
  const [first = ''] = (secrets ?? '').split(',');
  return first.trim() === '' ? undefined : first.trim();
}

function feesOf(list: string): Fees {
  const named = new Set<string>();
  const fees = list.split(',').map((part): Fees => {
    const [, name = '', value = ''] = /^ *(collection|payout)=(\d+(?:\.\d+)?) *$/.exec(part) ?? [];
    if (named.has(name)) throw new UsageError(`--fees names ${name} twice: write each name once.`);
    named.add(name);
    if (name === 'collection') return { collectionPercent: Number(value) };
    if (name === 'payout') return { payout: value };
    throw new UsageError('--fees must list fees by their names: write collection=2,payout=500.00.');
  });
  return Object.assign({}, ...fees) as Fees;
}

/** The library's message about its options, for a command line. */
function inFlags(message: string): string {
  return message
    .replace(/Sandbox option ([\w.]+)/g, (_, option: string) => `--${FLAGS[option] ?? option}`)
    .replace("must be milliseconds from 0 on, or a number with its unit: write '15m'", EXPIRY_RULE)
    .replace('allowRemote: true', '--allow-remote');
}
