import { optionErrors } from '../../errors/option-errors.js';
import { optionsFromEnvironment } from '../../config/environment-options.js';
import { type WebhookSecret } from '../../config/webhook-options.js';
import { resolveWebhooks } from '../../config/resolve-webhooks.js';
import { type ValuesOf } from '../command-line.js';
import { type CommandContext, flag, text, texts } from '../command.js';
import { applicationEnvironment } from '../environment.js';
import { oneOf } from '../option-values.js';
import { asUsage, UsageError } from '../usage-error.js';
import { deliveryHeaders } from './delivery-headers.js';
import { type ChosenScheme, chosenScheme, SCHEME_OPTIONS } from './scheme-options.js';

const ENCODINGS = ['utf8', 'base64', 'hex'] as const;

/** The options of every command that signs or checks. */
export const SIGNING_OPTIONS = {
  secret: text(
    '<text>',
    'signing secret; better in PAYMENTS_WEBHOOK_SECRET, where no list of processes shows it',
  ),
  'secret-encoding': text(
    '<name>',
    "how the secret is written: utf8, base64 or hex (default: the scheme's own)",
  ),
  'allow-short-secret': flag(
    'take a secret of under 16 bytes, as { value, allowShort: true } does in the options',
  ),
  // Not `--env-file`: Node 20 reads that option itself, even after the script's name.
  dotenv: text(
    '<file>',
    'variables of the application; variables that are set win (default: .env, if it exists)',
  ),
  'http-header': {
    ...texts('<name: value>', 'header of the delivery, as often as needed; @file for a file of such lines'),
    short: 'H',
  },
  ...SCHEME_OPTIONS,
};

type SigningValues = ValuesOf<typeof SIGNING_OPTIONS>;

/** How to sign, and how to check a signature. */
export interface Signing extends ChosenScheme {
  /** The first secret signs. */
  readonly secrets: readonly [WebhookSecret, ...WebhookSecret[]];
  readonly keys: readonly Uint8Array[];
}

/** How to sign deliveries to send. */
export interface Sender extends Signing {
  /** Additional headers by lower-case name. A scheme may sign them. */
  readonly sent: Readonly<Record<string, string>>;
}

/** @throws UsageError if there is no secret, or the package would refuse one at boot. */
export function signingOf(
  values: SigningValues,
  context: Pick<CommandContext, 'environment' | 'folder'>,
): Signing {
  const chosen = chosenScheme(values);
  const secrets = secretsOf(values, applicationEnvironment(values.dotenv, context));
  if (secrets.length === 0) {
    throw new UsageError('There is no signing secret: set PAYMENTS_WEBHOOK_SECRET, or write --secret.');
  }
  return asUsage(() => signingWith(chosen, secrets), inFlags);
}

/** The package's message about a secret, for a command line. */
function inFlags(message: string): string {
  return message
    .replaceAll('write { value, allowShort: true }', 'write --allow-short-secret')
    .replaceAll('correct `encoding`', 'correct --secret-encoding');
}

/** The secrets of the command line or the environment. */
export function secretsOf(values: SigningValues, environment: NodeJS.ProcessEnv): readonly WebhookSecret[] {
  const encoding = oneOf('--secret-encoding', values['secret-encoding'], ENCODINGS);
  const written =
    values.secret === undefined
      ? (optionsFromEnvironment(environment).webhooks?.secrets ?? [])
      : [values.secret];
  const allowShort = values['allow-short-secret'] ?? false;
  if (encoding === undefined && !allowShort) return written;
  return written.map((secret) => ({
    ...(typeof secret === 'string' ? { value: secret } : secret),
    ...(encoding !== undefined && { encoding }),
    allowShort,
  }));
}

/** @throws PaymentsConfigError if the package would refuse the secrets at boot. */
export function signingWith(chosen: ChosenScheme, secrets: readonly WebhookSecret[]): Signing {
  const resolved = resolveWebhooks({ scheme: chosen.scheme, secrets }, optionErrors('default'));
  return {
    ...chosen,
    secrets: secrets as Signing['secrets'], // an empty list was refused
    keys: (resolved?.keys ?? []).map(({ bytes }) => bytes()),
  };
}

/** @throws UsageError like `signingOf`, and if a header is invalid or comes twice. */
export function senderOf(
  values: SigningValues,
  context: Pick<CommandContext, 'environment' | 'folder'>,
): Sender {
  return { ...signingOf(values, context), sent: sentHeaders(values, context.folder) };
}

/** @throws UsageError if a header is invalid or comes twice. */
export function sentHeaders(values: SigningValues, folder: string): Sender['sent'] {
  const headers = [...deliveryHeaders(values['http-header'], folder)];
  return Object.fromEntries(
    headers.map(([name, [value = '', ...others]]) => {
      if (others.length > 0) throw new UsageError(`-H names ${name} more than once: a delivery has it once.`);
      return [name, value];
    }),
  );
}
