import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../lib/cli/run-cli.js';
import { parseCommandLine } from '../../../../lib/cli/command-line.js';
import { text } from '../../../../lib/cli/command.js';
import {
  readSandboxArguments,
  SANDBOX_OPTIONS,
  type SandboxArguments,
} from '../../../../lib/cli/sandbox/sandbox-arguments.js';
import { SCHEME_OPTIONS } from '../../../../lib/cli/webhooks/scheme-options.js';
import { standardWebhooks } from '../../../../lib/webhooks/signature/standard-webhooks.js';
import { hmac } from '../../../../lib/webhooks/signature/hmac-scheme.js';
import { resolveSandboxOptions } from '../../../../lib/sandbox/resolve-sandbox-options.js';
import { type PaymentsSandboxOptions } from '../../../../lib/sandbox/sandbox-options.js';
import { documentedOptions } from '../../../support/documented-options.js';

type Given = readonly [args: readonly string[], option: PaymentsSandboxOptions];

/** Every option of the library: how the command line writes it, or why it does not. */
const OPTIONS: Readonly<Record<keyof PaymentsSandboxOptions, Given | string>> = {
  port: [['--port', '4300'], { port: 4300 }],
  host: [['--host', '::1'], { host: '::1' }],
  allowedHosts: [
    ['--allow-host', 'a.test', '--allow-host', 'b.test'],
    { allowedHosts: ['a.test', 'b.test'] },
  ],
  allowRemote: [['--allow-remote'], { allowRemote: true }],
  controlToken: [['--token', 'sixteen-or-more-1'], { controlToken: 'sixteen-or-more-1' }],
  data: [['--data', '.sandbox'], { data: '.sandbox' }],
  clock: [['--clock', 'manual'], { clock: 'manual' }],
  seed: [['--seed', '7'], { seed: 7 }],
  auto: [['--auto'], { auto: true }],
  profile: [['--profile', 'adversarial'], { profile: 'adversarial' }],
  startingBalance: [['--balance', '50000.00'], { startingBalance: '50000.00' }],
  fees: [['--fees', 'collection=1.5,payout=250.00'], { fees: { collectionPercent: 1.5, payout: '250.00' } }],
  expireAfter: [['--expire-after', '2h'], { expireAfter: '2h' }],
  webhookSecret: [['--webhook-secret', 'a-secret-of-this-test'], { webhookSecret: 'a-secret-of-this-test' }],
  webhookTimeoutMs: [['--webhook-timeout', '500'], { webhookTimeoutMs: 500 }],
  webhookScheme: 'has options of its own: those of `sign`',
  allowRemoteWebhooks: '--allow-remote includes it',
  world: '--seed-file, which the command reads before its arguments',
  frameAncestors: 'is for a page around the emulator, whose program starts both',
};

const COMMAND_OPTIONS = { port: text('<number>', ''), ...SANDBOX_OPTIONS };

function read(...args: string[]): SandboxArguments {
  const { values } = parseCommandLine(args, COMMAND_OPTIONS, { positionals: false });
  return readSandboxArguments(values, 4242, { environment: {}, folder: '.' });
}

const body = Buffer.from('{"event":"payment.success"}');
const key = Buffer.from('a-secret-of-this-test');

describe('the options of the library on the command line', () => {
  it('are all there, or have a reason', () => {
    const members = documentedOptions(['lib/sandbox/sandbox-options.ts'], 'PaymentsSandboxOptions')
      .filter(({ path }) => path.length === 1)
      .map(({ path }) => path[0]);
    expect(members.length).toBeGreaterThan(10);
    expect(Object.keys(OPTIONS).sort()).toEqual(members.sort());
  });

  it.each(Object.entries(OPTIONS).filter((row): row is [string, Given] => typeof row[1] !== 'string'))(
    '%s reaches the emulator',
    (name, [args, expected]) => {
      expect(read().options).not.toMatchObject(expected);
      expect(read(...args).options).toMatchObject(expected);
      expect(Object.keys(expected)).toEqual([name]);
    },
  );

  it.each(['sandbox', 'sandbox exec'])('are all taken by %s', (name) => {
    const flags = Object.values(OPTIONS).flatMap((given) =>
      typeof given === 'string'
        ? []
        : given[0].filter((word) => word.startsWith('--')).map((word) => word.slice(2)),
    );
    const { options } = COMMANDS.find((command) => command.name === name)!;
    expect(Object.keys(options)).toEqual(expect.arrayContaining([...flags, ...Object.keys(SCHEME_OPTIONS)]));
  });

  it('leave every default to the library', () => {
    const { webhookScheme: _, ...settings } = resolveSandboxOptions({ ...read().options, seed: 1 });
    const { webhookScheme: __, ...defaults } = resolveSandboxOptions({ seed: 1, port: 4242 });
    expect(JSON.stringify(settings, bigints)).toBe(JSON.stringify(defaults, bigints));
  });
});

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

describe('the scheme', () => {
  it.each([
    {
      args: [],
      scheme: hmac({
        header: 'x-webhook-signature',
        algorithm: 'sha256',
        encoding: 'hex',
        payload: ['body'],
      }),
    },
    {
      args: [
        '--scheme',
        'hmac',
        '--header',
        'x-sign',
        '--algorithm',
        'sha512',
        '--encoding',
        'base64',
        '--prefix',
        'v1=',
      ],
      scheme: hmac({
        header: 'x-sign',
        algorithm: 'sha512',
        encoding: 'base64',
        prefix: 'v1=',
        payload: ['body'],
      }),
    },
  ])('of $args signs as the library does', ({ args, scheme }) => {
    const chosen = resolveSandboxOptions(read(...args).options).webhookScheme;
    expect(chosen.sign?.({ body, key, now: 0 })).toEqual(scheme.sign?.({ body, key, now: 0 }));
  });

  it('is standard-webhooks with a time and an id of each delivery', () => {
    expect(read('--scheme', 'standard-webhooks').options.webhookScheme?.secretForm).toEqual(
      standardWebhooks().secretForm,
    );
  });
});

it('takes the token from the environment, where no list of processes shows it', () => {
  const { values } = parseCommandLine([], COMMAND_OPTIONS, { positionals: false });
  const { options } = readSandboxArguments(values, 0, {
    environment: { PAYMENTS_SANDBOX_TOKEN: 'from-the-environment' },
    folder: '.',
  });
  expect(options.controlToken).toBe('from-the-environment');
});

it.each(['', ' '])(
  'ignores the token %j of the environment, as Compose passes one that is not set',
  (token) => {
    const { values } = parseCommandLine([], COMMAND_OPTIONS, { positionals: false });
    expect(
      readSandboxArguments(values, 0, { environment: { PAYMENTS_SANDBOX_TOKEN: token }, folder: '.' })
        .options,
    ).not.toHaveProperty('controlToken');
  },
);

it.each([
  [
    '--balance',
    ['--balance', 'much'],
    "--balance must be an amount of TZS from 0 on, below 10000000000000 (10^13): write '1000000.00'.",
  ],
  ['--fees', ['--fees', 'payout'], '--fees must list fees by their names: write collection=2,payout=500.00.'],
  ['--fees', ['--fees', 'collection=101'], '--fees collection must be a number from 0 to 100.'],
  [
    '--fees',
    ['--fees', 'collection=2,payout=1.00,collection=90'],
    '--fees names collection twice: write each name once.',
  ],
  [
    '--expire-after',
    ['--expire-after', '10'],
    "--expire-after must be a number with its unit: write '15m', '90s' or '250ms'.",
  ],
  [
    '--webhook-secret',
    ['--webhook-secret', 'short'],
    /^--webhook-secret \(or PAYMENTS_WEBHOOK_SECRET\) is shorter than 16 bytes and could be guessed: use a longer secret\.$/,
  ],
  [
    '--webhook-secret for Standard Webhooks',
    ['--scheme', 'standard-webhooks', '--webhook-secret', 'no-base64!'],
    /^--webhook-secret \(or PAYMENTS_WEBHOOK_SECRET\) is not base64: write it in that encoding\.$/,
  ],
  [
    '--webhook-timeout',
    ['--webhook-timeout', '0'],
    '--webhook-timeout must be a whole number from 1 to 600000.',
  ],
  ['--token', ['--token', 'short'], '--token (or PAYMENTS_SANDBOX_TOKEN) must have 16 to 256 letters'],
  ['--data', ['--data', ''], "--data must be the path of a folder: write '.payments-sandbox'."],
  ['--host', ['--host', '0.0.0.0'], 'Other machines need --allow-remote.'],
  ['--clock', ['--clock', 'manul'], "Did you mean 'manual'?"],
  ['--tolerance', ['--tolerance', '5'], '--tolerance has no meaning with no --timestamp-header'],
])('says what is wrong with %s', (_, args, message) => {
  expect(() => read(...args)).toThrow(message);
});
