import { resolve } from 'node:path';
import { parseCents } from '../../common/money.js';
import { TZ_PHONE } from '../../common/phone.js';
import { type GatewayProfile } from '../../gateway-profile/gateway-profile.js';
import { milliseconds } from '../../sandbox/clock/duration.js';
import { readProfileFile } from '../gateway-profile-file.js';
import { httpAddress, refuseEmpty, wholeNumber } from '../option-values.js';
import { asUsage, UsageError } from '../usage-error.js';
import { type ConformanceValues } from './conformance-options.js';
import { type QuestionInputs } from './questions/question.js';
import { NO_FILES, type ResultFiles, resultFiles } from './result-files.js';
import { type RunCaps } from './run/plan.js';

const DEFAULT_JOURNAL = 'conformance.jsonl';
const DEFAULT_REQUESTS = 200;
const MOST_REQUESTS = 10_000;
const DEFAULT_AMOUNT = '1.00';
const DEFAULT_WAIT = '10m';
const HIGHEST_PORT = 65_535;

/** Where webhooks are heard. */
export interface ListenArguments {
  readonly port: number;
  readonly publicUrl: URL;
  readonly waitMs: number;
}

/** A command line of `conformance`, read and checked. */
export interface ConformanceArguments {
  readonly inputs: QuestionInputs;
  readonly caps: RunCaps;
  readonly listen: ListenArguments | undefined;
  /** What `--check` compares with. */
  readonly known: GatewayProfile | undefined;
  readonly journal: string;
  /** The journal of the default name is put away when the run has ended, so that the next run asks again. */
  readonly keepsJournal: boolean;
  /** What is written in the end. */
  readonly files: ResultFiles;
}

/** @throws UsageError that says which option is wrong. */
export function readConformanceArguments(values: ConformanceValues, folder: string): ConformanceArguments {
  refuseEmpty(values);
  const journal = resolve(folder, values.journal ?? DEFAULT_JOURNAL);
  const isPlan = values.plan === true;
  return {
    inputs: inputsOf(values),
    caps: {
      maxAmountCents: centsOf('max-amount', values['max-amount'] ?? '0'),
      maxRequests:
        wholeNumber('--max-requests', values['max-requests'], [1, MOST_REQUESTS]) ?? DEFAULT_REQUESTS,
    },
    listen: listenOf(values),
    known:
      values.check === undefined || isPlan ? undefined : readProfileFile('--check', values.check, folder),
    journal,
    keepsJournal: values.journal !== undefined,
    files: isPlan ? NO_FILES : resultFiles(values, folder, journal),
  };
}

function inputsOf(values: ConformanceValues): QuestionInputs {
  const aboveBalance = values['above-balance'];
  const texts = {
    phone: phoneOf('phone', values),
    partnerPhone: phoneOf('partner-phone', values),
    recipientPhone: phoneOf('recipient-phone', values),
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
    ...(values['after-an-hour'] === true && { afterAnHour: true }),
    ...(aboveBalance !== undefined && { aboveBalanceCents: centsOf('above-balance', aboveBalance) }),
    amountCents: centsOf('amount', values.amount ?? DEFAULT_AMOUNT),
  };
}

function centsOf(option: string, value: string): number {
  const cents = parseCents(value);
  if (cents !== undefined && cents >= 0n) return Number(cents);
  throw new UsageError(`--${option} must be an amount of TZS: write --${option} 1000.00.`);
}

function listenOf(values: ConformanceValues): ListenArguments | undefined {
  const { listen, wait = DEFAULT_WAIT } = values;
  const publicUrl = values['public-url'];
  if (listen === undefined && publicUrl === undefined && values.wait === undefined) return undefined;
  if (values['after-an-hour']) {
    throw new UsageError(
      'Webhooks are heard by one run, and --after-an-hour needs two: write --listen, or --after-an-hour.',
    );
  }
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

function phoneOf(
  option: 'phone' | 'partner-phone' | 'recipient-phone',
  values: ConformanceValues,
): string | undefined {
  const phone = values[option];
  if (phone === undefined || TZ_PHONE.test(phone)) return phone;
  throw new UsageError(`--${option} is no phone number as the gateway writes it: write 255XXXXXXXXX.`);
}
