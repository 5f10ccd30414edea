import { parseArgs, type ParseArgsConfig } from 'node:util';
import { type PaymentsSandboxOptions } from '../sandbox/sandbox-options.js';
import { isLoopbackHost } from '../sandbox/http/loopback.js';
import { deliveryTarget } from '../sandbox/webhooks/delivery-target.js';
import { isPaymentsError } from '../errors/payments.error.js';
import { UsageError } from './usage-error.js';

const DEFAULT_PORT = 4242;

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  seed: { type: 'string' },
  'forward-to': { type: 'string' },
  auto: { type: 'boolean', default: false },
  'print-env': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const satisfies ParseArgsConfig['options'];

/** What the arguments of `sandbox` ask for. */
export interface SandboxArguments {
  readonly options: PaymentsSandboxOptions & { readonly port: number };
  readonly forwardTo: URL | undefined;
  readonly printEnv: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

/** @throws UsageError that says what to write instead. */
export function sandboxArguments(args: readonly string[]): SandboxArguments {
  const values = parse(args);
  return {
    options: {
      port: wholeNumber('--port', values.port, 65_535) ?? DEFAULT_PORT,
      auto: values.auto,
      ...loopbackHost(values.host),
      ...seedOf(values.seed),
    },
    forwardTo: forwardTarget(values['forward-to']),
    printEnv: values['print-env'],
    json: values.json,
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}.`);
  }
}

function seedOf(text: string | undefined): { readonly seed?: number } {
  const seed = wholeNumber('--seed', text, 2 ** 32 - 1);
  return seed === undefined ? {} : { seed };
}

function wholeNumber(option: string, text: string | undefined, largest: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text) && Number(text) <= largest) return Number(text);
  throw new UsageError(`${option} must be a whole number from 0 to ${largest}.`);
}

function forwardTarget(address: string | undefined): URL | undefined {
  if (address === undefined) return undefined;
  try {
    return deliveryTarget(address, false);
  } catch (error) {
    if (!isPaymentsError(error)) throw error;
    throw new UsageError(
      '--forward-to must be an address on this machine, without a password: write http://127.0.0.1:3000/webhooks/payments.',
    );
  }
}

function loopbackHost(host: string | undefined): { readonly host?: string } {
  if (host === undefined) return {};
  if (isLoopbackHost(host)) return { host };
  throw new UsageError(
    '--host must be a loopback address such as 127.0.0.1 or ::1: the sandbox protects nothing.',
  );
}
