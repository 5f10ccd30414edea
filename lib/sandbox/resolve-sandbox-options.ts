import { randomInt } from 'node:crypto';
import { parseCents, type MoneyInput } from '../common/money.js';
import { secretProblem } from '../common/webhook-secret.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { hmac } from '../webhooks/signature/hmac-scheme.js';
import { milliseconds, type Duration } from './clock/duration.js';
import { type GatewaySettings } from './core/gateway-context.js';
import { seededIds } from './core/id-source.js';
import { isLoopbackHost, plainHostname } from './http/loopback.js';
import { adversarialProfile } from './profile/adversarial.js';
import { documentedProfile, type Profile } from './profile/profile.js';
import { type PaymentsSandboxOptions } from './sandbox-options.js';

const LARGEST_SEED = 2 ** 32 - 1;
const OF_SECRETS = 0x5ec2e75;

/** The options with their defaults. */
export type SandboxSettings = Readonly<ReturnType<typeof resolveSandboxOptions>>;

/** @throws PaymentsConfigError that names the option and what to write instead. */
export function resolveSandboxOptions(options: PaymentsSandboxOptions) {
  const seed = whole('seed', options.seed ?? randomInt(LARGEST_SEED), LARGEST_SEED);
  const newSecret = secretsOf(options.seed);
  const webhookSecret = options.webhookSecret ?? newSecret();
  return {
    port: whole('port', options.port ?? 0, 65_535),
    host: checkedHost(options.host ?? '127.0.0.1'),
    allowedHosts: (options.allowedHosts ?? []).map(checkedName),
    clock: checkedClock(options.clock ?? 'real'),
    seed,
    gateway: gatewaySettings(options),
    auto: options.auto ?? false,
    profile: profileOf(options.profile ?? 'documented', seed),
    webhookScheme: schemeOf(options, webhookSecret),
    webhookSecret,
    newSecret,
    webhookTimeoutMs: whole('webhookTimeoutMs', options.webhookTimeoutMs ?? 15_000, 600_000),
    allowRemoteWebhooks: options.allowRemoteWebhooks ?? false,
  };
}

function gatewaySettings({ startingBalance, fees, expireAfter }: PaymentsSandboxOptions): GatewaySettings {
  return {
    startingBalanceCents: cents('startingBalance', startingBalance ?? '1000000.00'),
    fees: {
      collectionBasisPoints: basisPoints(fees?.collectionPercent ?? 2),
      payoutCents: cents('fees.payout', fees?.payout ?? '500.00'),
    },
    expireAfterMs: duration('expireAfter', expireAfter ?? '15m'),
  };
}

function secretsOf(seed: number | undefined): () => string {
  // A sequence of its own, because everybody sees the ids.
  const ids = seededIds((seed ?? randomInt(LARGEST_SEED)) ^ OF_SECRETS);
  return () => `whsec_${ids.token(32)}`;
}

function schemeOf({ webhookScheme }: PaymentsSandboxOptions, secret: string): WebhookScheme {
  const scheme =
    webhookScheme ??
    hmac({ header: 'x-webhook-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] });
  if (!('sign' in scheme)) wrong('webhookScheme', 'can only verify: give it a `sign`');
  const problem = secretProblem({ value: secret }, scheme.secretForm);
  if (problem !== undefined) wrong('webhookSecret', problem);
  return scheme;
}

function whole(option: string, value: number, largest: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= largest) return value;
  return wrong(option, `must be a whole number from 0 to ${largest}`);
}

function cents(option: string, value: MoneyInput): bigint {
  const parsed = parseCents(String(value));
  if (parsed !== undefined && parsed >= 0n) return parsed;
  return wrong(option, "must be an amount of TZS from 0 on: write '1000000.00'");
}

function duration(option: string, value: Duration): number {
  try {
    return milliseconds(value);
  } catch {
    return wrong(option, "must be milliseconds from 0 on, or a number with its unit: write '15m'");
  }
}

function basisPoints(percent: number): bigint {
  if (percent >= 0 && percent <= 100) return BigInt(Math.round(percent * 100));
  return wrong('fees.collectionPercent', 'must be a number from 0 to 100');
}

function checkedHost(host: string): string {
  if (isLoopbackHost(host)) return host;
  return wrong(
    'host',
    "must be a loopback address: write '127.0.0.1'. The sandbox protects nothing on a network",
  );
}

function checkedName(name: string): string {
  return (
    plainHostname(name) ??
    wrong(
      'allowedHosts',
      "must hold host names without a scheme, a port or a pattern: write ['host.docker.internal']",
    )
  );
}

function checkedClock(clock: string): 'real' | 'manual' {
  if (clock === 'real' || clock === 'manual') return clock;
  return wrong('clock', "must be 'real' or 'manual'");
}

function profileOf(profile: string, seed: number): Profile {
  if (profile === 'documented') return documentedProfile;
  if (profile === 'adversarial') return adversarialProfile(seed);
  return wrong('profile', "must be 'documented' or 'adversarial'");
}

function wrong(option: string, problem: string): never {
  throw new PaymentsConfigError(`Sandbox option ${option} ${problem}.`);
}
