import { isLoopbackHost, plainHostname } from '../../sandbox/http/loopback.js';
import { type PaymentsSandboxOptions } from '../../sandbox/sandbox-options.js';
import { type OptionSpecs } from '../command.js';
import { localAddress, oneOf, wholeNumber } from '../option-values.js';
import { UsageError } from '../usage-error.js';

/** The options of every command that starts an emulator. */
export const SANDBOX_OPTIONS = {
  host: { type: 'string', value: '<address>', says: 'loopback address to listen on (default: 127.0.0.1)' },
  'allow-host': {
    type: 'string',
    multiple: true,
    value: '<name>',
    says: 'one more host name to answer under, such as host.docker.internal for containers; repeatable',
  },
  'forward-to': {
    type: 'string',
    value: '<url>',
    says: 'where webhooks go, such as http://127.0.0.1:3000/webhooks/payments',
  },
  auto: { type: 'boolean', says: 'approve payments and pay payouts by itself after two seconds' },
  profile: {
    type: 'string',
    value: '<name>',
    says: 'documented, or adversarial: vary all that the specification leaves open (default: documented)',
  },
  seed: {
    type: 'string',
    value: '<number>',
    says: 'the same ids and the same webhook secret at every start',
  },
} as const satisfies OptionSpecs;

interface SandboxValues {
  readonly port?: string;
  readonly host?: string;
  readonly 'allow-host'?: readonly string[];
  readonly 'forward-to'?: string;
  readonly auto?: boolean;
  readonly profile?: string;
  readonly seed?: string;
}

/** The emulator's settings from the arguments. */
export interface SandboxArguments {
  readonly options: PaymentsSandboxOptions;
  readonly forwardTo: URL | undefined;
}

/** @throws UsageError that says what to write instead. */
export function readSandboxArguments(values: SandboxValues, defaultPort: number): SandboxArguments {
  const seed = wholeNumber('--seed', values.seed, [0, 2 ** 32 - 1]);
  const profile = oneOf('--profile', values.profile, ['documented', 'adversarial']);
  const forwardTo = values['forward-to'];
  return {
    options: {
      port: wholeNumber('--port', values.port, [0, 65_535]) ?? defaultPort,
      auto: values.auto ?? false,
      allowedHosts: (values['allow-host'] ?? []).map(hostname),
      ...(values.host === undefined ? {} : { host: loopbackHost(values.host) }),
      ...(profile === undefined ? {} : { profile }),
      ...(seed === undefined ? {} : { seed }),
    },
    forwardTo: forwardTo === undefined ? undefined : localAddress('--forward-to', forwardTo),
  };
}

function loopbackHost(host: string): string {
  if (isLoopbackHost(host)) return host;
  throw new UsageError(
    '--host must be a loopback address such as 127.0.0.1 or ::1: the sandbox protects nothing.',
  );
}

function hostname(name: string): string {
  if (plainHostname(name) !== undefined) return name;
  throw new UsageError(
    '--allow-host must be a host name without a scheme, a port or a pattern: write host.docker.internal.',
  );
}
