import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseCents } from '../../common/money.js';
import { type GatewayProfile } from '../../gateway-profile/gateway-profile.js';
import { readProfile } from '../../gateway-profile/read-profile.js';
import { milliseconds } from '../../sandbox/clock/duration.js';
import { httpAddress, wholeNumber } from '../option-values.js';
import { asUsage, UsageError } from '../usage-error.js';
import { type ConformanceValues } from './conformance-options.js';
import { type QuestionInputs } from './questions/question.js';
import { type RunCaps } from './run/plan.js';

const DEFAULT_JOURNAL = 'conformance.jsonl';
const DEFAULT_REQUESTS = 200;
const MOST_REQUESTS = 10_000;
const DEFAULT_AMOUNT = '1.00';
const DEFAULT_WAIT = '10m';
const HIGHEST_PORT = 65_535;

/** Where webhooks are heard. */
export interface ListenOrder {
  readonly port: number;
  readonly publicUrl: URL;
  readonly waitMs: number;
}

/** A command line of `conformance`, read and checked. */
export interface ConformanceOrder {
  readonly inputs: QuestionInputs;
  readonly caps: RunCaps;
  readonly listen: ListenOrder | undefined;
  /** What `--check` compares with. */
  readonly known: GatewayProfile | undefined;
  readonly journal: string;
  /** The journal of the default name is put away when the run has ended, so that the next run asks anew. */
  readonly keepsJournal: boolean;
  readonly out: string | undefined;
  readonly report: string | undefined;
  readonly letter: string | undefined;
  readonly record: string | undefined;
}

/** @throws UsageError that says which option is wrong. */
export function readConformanceOrder(values: ConformanceValues, folder: string): ConformanceOrder {
  const newFile = (option: 'out' | 'report' | 'letter' | 'record'): string | undefined => {
    const file = values[option];
    if (file === undefined) return undefined;
    const path = resolve(folder, file);
    if (existsSync(path))
      throw new UsageError(`--${option} exists already, and nothing was sent: name a new file.`);
    return path;
  };
  if (values.report !== undefined && !/\.(md|html)$/.test(values.report)) {
    throw new UsageError('--report must end with .md or .html.');
  }
  return {
    inputs: inputsOf(values),
    caps: {
      maxAmountCents: centsOf('max-amount', values['max-amount'] ?? '0'),
      maxRequests:
        wholeNumber('--max-requests', values['max-requests'], [1, MOST_REQUESTS]) ?? DEFAULT_REQUESTS,
    },
    listen: listenOf(values),
    known: values.check === undefined ? undefined : profileIn(resolve(folder, values.check)),
    journal: resolve(folder, values.journal ?? DEFAULT_JOURNAL),
    keepsJournal: values.journal !== undefined,
    out: newFile('out'),
    report: newFile('report'),
    letter: newFile('letter'),
    record: newFile('record'),
  };
}

function inputsOf(values: ConformanceValues): QuestionInputs {
  const aboveBalance = values['above-balance'];
  const texts = {
    phone: values.phone,
    partnerPhone: values['partner-phone'],
    recipientPhone: values['recipient-phone'],
    network: values.network,
    bankCode: values['bank-code'],
    longBankCode: values['long-bank-code'],
    bankAccount: values['bank-account'],
    accountName: values['account-name'],
    unknownAccount: values['unknown-account'],
    collectionStatusPath: values['collection-status-path'],
    payoutStatusPath: values['payout-status-path'],
  };
  const given = Object.entries(texts).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(aboveBalance !== undefined && { aboveBalanceCents: centsOf('above-balance', aboveBalance) }),
    amountCents: centsOf('amount', values.amount ?? DEFAULT_AMOUNT),
  };
}

function centsOf(option: string, value: string): number {
  const cents = parseCents(value);
  if (cents !== undefined && cents >= 0n) return Number(cents);
  throw new UsageError(`--${option} must be an amount of TZS: write --${option} 1000.00.`);
}

function listenOf(values: ConformanceValues): ListenOrder | undefined {
  const { listen, wait = DEFAULT_WAIT } = values;
  const publicUrl = values['public-url'];
  if (listen === undefined && publicUrl === undefined && values.wait === undefined) return undefined;
  const port = wholeNumber('--listen', listen, [0, HIGHEST_PORT]);
  if (port === undefined || publicUrl === undefined) {
    throw new UsageError(
      'Write --listen and --public-url: the port here, and the address that the gateway sends webhooks to.',
    );
  }
  const waitMs = asUsage(
    () => milliseconds(wait as Parameters<typeof milliseconds>[0]),
    () => '--wait must be a number with its unit: write --wait 10m.',
  );
  return { port, publicUrl: httpAddress('--public-url', publicUrl), waitMs };
}

function profileIn(file: string): GatewayProfile {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === undefined
        ? '--check is no JSON: name a file that --out has written.'
        : `--check cannot be read (${code}): name a file that --out has written.`,
    );
  }
  return asUsage(() => readProfile(value, '--check'));
}
