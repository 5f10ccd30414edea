import { randomBytes, randomInt } from 'node:crypto';
import { isRecord } from '../common/json-object.js';
import { type MoneyInput } from '../common/money.js';
import { hasSchemeFields } from '../common/scheme-fields.js';
import { secretBytes, secretTextProblem } from '../common/webhook-secret.js';
import { type OptionError, unknownOptions } from '../errors/option-errors.js';
import { readAll, throwJoined } from '../errors/wrong-options.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { readProfile } from '../gateway-profile/read-profile.js';
import { type HmacOptions } from '../webhooks/signature/hmac-options.js';
import { hmac } from '../webhooks/signature/hmac-scheme.js';
import { learntScheme } from '../webhooks/signature/learnt-scheme.js';
import { milliseconds, type Duration } from './clock/duration.js';
import { BALANCE_RULE, balanceCents } from './core/amounts.js';
import { type GatewaySettings } from './core/gateway-context.js';
import { seededIds } from './core/id-source.js';
import { isAddress, isLoopbackHost, plainHostname } from './http/loopback.js';
import { adversarialProfile } from './profile/adversarial.js';
import { documentedProfile, observedProfile, type Profile } from './profile/profile.js';
import { type PaymentsSandboxOptions } from './sandbox-options.js';
import { type StoredSettings } from './state/state-entry.js';
import { type SandboxWorld } from './world/sandbox-world.js';
import { missingHeaders } from './webhooks/own-headers.js';
import { SETTINGS, settingsOf } from './world/world-settings.js';

const LARGEST_SEED = 2 ** 32 - 1;
const OF_SECRETS = 0x5ec2e75;
const DEFAULT_SIGNATURE: HmacOptions = {
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
};
const OPTIONS: readonly (keyof PaymentsSandboxOptions)[] = [
  'port',
  'host',
  'allowedHosts',
  'allowRemote',
  'controlToken',
  'data',
  'world',
  'frameAncestors',
  ...SETTINGS,
  'webhookScheme',
  'webhookTimeoutMs',
  'allowRemoteWebhooks',
];
const FEES = ['collectionPercent', 'payout'];
/** What a cookie and a link hold without encoding. */
const TOKEN = /^[\w.~-]{16,256}$/;

/** The options with their defaults. */
export type SandboxSettings = Readonly<ReturnType<typeof resolveSandboxOptions>>;

/**
 * @param stored What the folder of `data` keeps.
 * @throws PaymentsConfigError that names every wrong option and what to write instead.
 */
export function resolveSandboxOptions(given: PaymentsSandboxOptions, stored: StoredSettings = {}) {
  assertObject(given);
  const options = given.world === undefined ? given : withWorld(given, given.world, stored);
  const seed = options.seed ?? stored.seed ?? randomInt(LARGEST_SEED);
  // The stored secret used up the first one of its seed.
  const newSecret = secretsOf(stored.webhookSecret === undefined ? options.seed : undefined);
  const webhookSecret = options.webhookSecret ?? stored.webhookSecret ?? newSecret();
  const { checked } = readAll({
    names: () => {
      checkNames(given);
    },
    checked: () =>
      readAll({
        seed: () => whole('seed', seed, LARGEST_SEED),
        port: () => whole('port', options.port ?? 0, 65_535),
        host: () => checkedHost(options.host ?? '127.0.0.1', options.allowRemote === true),
        allowedHosts: () => checkedNames(options.allowedHosts ?? []),
        allowRemote: () => flag('allowRemote', options.allowRemote ?? false),
        controlToken: () => tokenOf(options),
        frameAncestors: () => checkedOrigins(options.frameAncestors ?? []),
        clock: () => checkedClock(options.clock ?? stored.clock ?? 'real'),
        gateway: () => gatewaySettings(options),
        profile: () => profileOf(options.profile ?? 'documented', seed),
        auto: () => flag('auto', options.auto ?? false),
        webhookScheme: () => schemeOf(options, webhookSecret),
        allowRemoteWebhooks: () =>
          flag('allowRemoteWebhooks', options.allowRemoteWebhooks ?? options.allowRemote ?? false),
        webhookTimeoutMs: () => whole('webhookTimeoutMs', options.webhookTimeoutMs ?? 15_000, 600_000, 1),
      }),
  });
  return { ...checked, webhookSecret, newSecret };
}

/** @throws PaymentsConfigError that names every option that does not exist. */
function checkNames(given: PaymentsSandboxOptions): void {
  const { fees } = given;
  throwJoined([
    ...unknownOptions(Object.keys(given), OPTIONS, '', optionError),
    ...(isRecord(fees) ? unknownOptions(Object.keys(fees), FEES, 'fees', optionError) : []),
  ]);
}

/** Adds the options of a world that neither the start nor the folder names. */
function withWorld(
  options: PaymentsSandboxOptions,
  world: SandboxWorld,
  stored: StoredSettings,
): PaymentsSandboxOptions {
  const isGiven = ([, value]: readonly [string, unknown]): boolean => value !== undefined;
  const ofWorld = Object.entries(settingsOf(world)).filter(([name]) => !Object.hasOwn(stored, name));
  return Object.fromEntries([...ofWorld.filter(isGiven), ...Object.entries(options).filter(isGiven)]);
}

/**
 * The folder that keeps the state, if the options name one.
 *
 * @throws PaymentsConfigError if it is no path.
 */
export function dataFolderOf(options: PaymentsSandboxOptions): string | undefined {
  assertObject(options);
  const { data } = options;
  if (data === undefined || (typeof data === 'string' && data !== '')) return data;
  return wrong('data', "must be the path of a folder: write '.payments-sandbox'");
}

function assertObject(options: unknown): void {
  if (isRecord(options)) return;
  throw new PaymentsConfigError(
    "The options of the sandbox must be an object: write { clock: 'manual' }, or leave them out.",
  );
}

function gatewaySettings({ startingBalance, fees, expireAfter }: PaymentsSandboxOptions): GatewaySettings {
  const { collectionBasisPoints, payoutCents, ...others } = readAll({
    startingBalanceCents: () => cents('startingBalance', startingBalance ?? '1000000.00'),
    collectionBasisPoints: () => basisPoints(fees?.collectionPercent ?? 2),
    payoutCents: () => cents('fees.payout', fees?.payout ?? '500.00'),
    expireAfterMs: () => duration('expireAfter', expireAfter ?? '15m'),
  });
  return { ...others, fees: { collectionBasisPoints, payoutCents } };
}

function secretsOf(seed: number | undefined): () => string {
  // A sequence of its own, because the ids are public.
  const ids = seededIds((Number.isInteger(seed) ? Number(seed) : randomInt(LARGEST_SEED)) ^ OF_SECRETS);
  return () => `whsec_${ids.token(32)}`;
}

function schemeOf({ webhookScheme, profile }: PaymentsSandboxOptions, secret: string): WebhookScheme {
  const observed = isRecord(profile) ? readProfile(profile, 'Sandbox option profile').webhooks : undefined;
  const scheme = webhookScheme ?? (observed ? learntScheme(observed) : hmac(DEFAULT_SIGNATURE));
  if (!isRecord(scheme) || !hasSchemeFields(scheme))
    wrong('webhookScheme', 'is no signature scheme: write hmac({ … })');
  if (typeof scheme.sign !== 'function') wrong('webhookScheme', 'can only verify: give it a `sign`');
  if (typeof secret !== 'string') wrong('webhookSecret', 'must be text, or left out');
  const problem = secretTextProblem(secret, scheme.secretForm);
  if (problem !== undefined) wrong('webhookSecret', problem);
  const [missing] = missingHeaders(scheme, secretBytes({ value: secret }, scheme.secretForm));
  if (missing !== undefined) {
    const instead = 'sign content-type or user-agent, or no header';
    wrong('webhookScheme', `signs the header ${missing}, which no webhook of the emulator has: ${instead}`);
  }
  return scheme;
}

function whole(option: string, value: number, largest: number, smallest = 0): number {
  if (Number.isInteger(value) && value >= smallest && value <= largest) return value;
  return wrong(option, `must be a whole number from ${smallest} to ${largest}`);
}

function flag(option: string, value: boolean): boolean {
  if (typeof value === 'boolean') return value;
  return wrong(option, 'must be true or false');
}

function cents(option: string, value: MoneyInput): bigint {
  return balanceCents(value) ?? wrong(option, `${BALANCE_RULE}: write '1000000.00'`);
}

function duration(option: string, value: Duration): number {
  try {
    return milliseconds(value);
  } catch {
    return wrong(option, "must be milliseconds from 0 on, or a number with its unit: write '15m'");
  }
}

function basisPoints(percent: number): bigint {
  if (typeof percent === 'number' && percent >= 0 && percent <= 100) return BigInt(Math.round(percent * 100));
  return wrong('fees.collectionPercent', 'must be a number from 0 to 100');
}

function checkedHost(host: string, allowRemote: boolean): string {
  if (typeof host === 'string') {
    if (isLoopbackHost(host)) return host;
    if (allowRemote && (isAddress(host) || plainHostname(host) !== undefined)) return host;
  }
  return allowRemote
    ? wrong('host', "must be an IP address or a name of this machine: write '0.0.0.0' for all addresses")
    : wrong('host', "must be a loopback address: write '127.0.0.1'. Other machines need allowRemote: true");
}

function tokenOf({ controlToken, allowRemote }: PaymentsSandboxOptions): string | undefined {
  if (controlToken === undefined) return allowRemote ? randomBytes(24).toString('base64url') : undefined;
  if (typeof controlToken === 'string' && TOKEN.test(controlToken)) return controlToken;
  return wrong('controlToken', 'must have 16 to 256 letters, digits, hyphens, underscores, dots and tildes');
}

function checkedNames(names: readonly string[]): readonly string[] {
  const plain = Array.isArray(names)
    ? names.map((name) => (typeof name === 'string' ? plainHostname(name) : undefined))
    : [undefined];
  if (plain.every((name) => name !== undefined)) return plain;
  return wrong(
    'allowedHosts',
    "must hold host names without a scheme, a port or a pattern, such as 'host.docker.internal'",
  );
}

function checkedOrigins(origins: readonly string[]): readonly string[] {
  if (Array.isArray(origins) && origins.every(isWebOrigin)) return origins as readonly string[];
  return wrong(
    'frameAncestors',
    "must hold origins without a path or a pattern: write ['http://127.0.0.1:4240']",
  );
}

function isWebOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const { protocol, origin: own, hostname } = new URL(origin);
  return ['http:', 'https:'].includes(protocol) && own === origin && !/[*;,\s]/.test(hostname);
}

function checkedClock(clock: string): 'real' | 'manual' {
  if (clock === 'real' || clock === 'manual') return clock;
  return wrong('clock', "must be 'real' or 'manual'");
}

function profileOf(profile: Exclude<PaymentsSandboxOptions['profile'], undefined>, seed: number): Profile {
  if (profile === 'documented') return documentedProfile();
  if (profile === 'adversarial') return adversarialProfile(seed);
  if (isRecord(profile)) return observedProfile(readProfile(profile, 'Sandbox option profile'));
  return wrong('profile', "must be 'documented', 'adversarial' or the content of a gateway.json");
}

const optionError: OptionError = (option, problem) =>
  new PaymentsConfigError(`Sandbox option ${option} ${problem}`);

function wrong(option: string, problem: string): never {
  throw optionError(option, `${problem}.`);
}
