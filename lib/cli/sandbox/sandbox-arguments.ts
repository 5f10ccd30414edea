import { isLoopbackHost, plainHostname } from '../../sandbox/http/loopback.js';
import { type PaymentsSandboxOptions } from '../../sandbox/sandbox-options.js';
import { type ValuesOf } from '../command-line.js';
import { flag, text, texts } from '../command.js';
import { localAddress, oneOf, wholeNumber } from '../option-values.js';
import { UsageError } from '../usage-error.js';

/** The options of every command that starts an emulator. */
export const SANDBOX_OPTIONS = {
  host: text('<address>', 'loopback address to listen on (default: 127.0.0.1)'),
  'allow-host': texts(
    '<name>',
    'one more host name to answer under, such as host.docker.internal for containers; repeatable',
  ),
  'forward-to': text('<url>', 'where webhooks go, such as http://127.0.0.1:3000/webhooks/payments'),
  auto: flag('approve payments and pay payouts by itself after two seconds'),
  profile: text(
    '<name>',
    'documented, or adversarial: vary all that the specification leaves open (default: documented)',
  ),
  seed: text('<number>', 'the same ids and the same webhook secret at every start'),
};

/** The emulator's settings from the arguments. */
export interface SandboxArguments {
  readonly options: PaymentsSandboxOptions;
  readonly forwardTo: URL | undefined;
}

/** @throws UsageError that says what to write instead. */
export function readSandboxArguments(
  values: ValuesOf<typeof SANDBOX_OPTIONS> & { readonly port?: string },
  defaultPort: number,
): SandboxArguments {
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
