import { amountProblem, canonicalAmount, type MoneyInput, parseCents } from '../../common/money.js';
import { isRecord } from '../../common/json-object.js';
import { type OptionError } from '../../config/option-checks.js';
import { count, flag, milliseconds, readOptions } from '../../config/option.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type NameMatch } from '../names/compare-names.js';
import { type Day, DAYS, minuteOf } from './week.js';

/**
 * How many people have to approve a batch of a certain size.
 *
 * @publicApi
 */
export interface ApprovalBand {
  /** The sum of the batch from which on the band counts, in TZS. */
  readonly from: MoneyInput;
  /** How many different people approve it. */
  readonly needed: 1 | 2;
}

/**
 * A time of the week in which batches are paid.
 *
 * @publicApi
 */
export interface PayWindow {
  readonly days: readonly Day[];
  /** `HH:MM`, for example `08:00`. */
  readonly from: string;
  /** `HH:MM`, later on the same day; that minute itself is outside. */
  readonly to: string;
}

/**
 * What has to be true before a batch moves money.
 *
 * @publicApi
 */
export interface BatchPolicy {
  /** Results of the comparison of names that need no word of a person. @default ['same'] */
  readonly acceptNames?: readonly NameMatch[];
  /** A line whose recipient was looked up longer ago is checked again before it is sent, in milliseconds. @default 86_400_000 */
  readonly checkedWithinMs?: number;
  /** What must be left in the wallet, in TZS. @default '0' */
  readonly minimumBalance?: MoneyInput;
  /** Bands by the sum of the batch: the first one from 0, each further one from more. @default [{ from: '0', needed: 1 }] */
  readonly approvals?: readonly ApprovalBand[];
  /** Whether the person who created a batch may approve it. @default false */
  readonly creatorMayApprove?: boolean;
  /** When batches are paid. Outside, a batch pauses until the next window opens. @default any time */
  readonly windows?: readonly PayWindow[];
  /** The time zone of the windows. @default 'Africa/Dar_es_Salaam' */
  readonly timeZone?: string;
  /**
   * A line is blocked if the same recipient got the same amount in another batch within so many days, or stands in the same
   * batch before it; 0: never. @default 20
   */
  readonly sameRecipientWithinDays?: number;
  /** A batch pauses after so many unknown outcomes in a row within a chunk. @default 3 */
  readonly stopAfterUnknown?: number;
  /** A batch pauses after so many refusals in a row within a chunk. @default 10 */
  readonly stopAfterRefused?: number;
  /** Whether a batch that pauses because the wallet holds too little goes on when it holds enough. @default false */
  readonly resumeAfterTopUp?: boolean;
}

/** The policy after validation, with defaults. */
export interface ResolvedBatchPolicy {
  readonly acceptNames: readonly NameMatch[];
  readonly checkedWithinMs: number;
  readonly minimumCents: bigint;
  readonly approvals: readonly { readonly fromCents: bigint; readonly needed: number }[];
  readonly creatorMayApprove: boolean;
  /** In minutes of the day. */
  readonly windows:
    readonly { readonly days: readonly Day[]; readonly from: number; readonly to: number }[] | undefined;
  readonly timeZone: string;
  readonly sameRecipientWithinDays: number;
  readonly stopAfterUnknown: number;
  readonly stopAfterRefused: number;
  readonly resumeAfterTopUp: boolean;
}

const MATCHES: readonly NameMatch[] = ['same', 'similar', 'different'];
const SIMPLE = {
  checkedWithinMs: milliseconds({ min: 1, default: 86_400_000 }),
  creatorMayApprove: flag(false),
  sameRecipientWithinDays: count({ min: 0, max: 3_650, default: 20 }),
  stopAfterUnknown: count({ min: 1, default: 3 }),
  stopAfterRefused: count({ min: 1, default: 10 }),
  resumeAfterTopUp: flag(false),
};
const FIELDS = [...Object.keys(SIMPLE), 'acceptNames', 'minimumBalance', 'approvals', 'windows', 'timeZone'];

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`PayoutBatchesModule option \`policy.${option}\` ${problem}`);

/** @throws PaymentsConfigError if a rule is wrong or unknown. */
export function resolvePolicy(raw: unknown): ResolvedBatchPolicy {
  const policy = isRecord(raw) ? raw : {};
  const unknown = Object.keys(policy).find((rule) => !FIELDS.includes(rule));
  if (unknown !== undefined) throw error(unknown, `does not exist: write one of ${FIELDS.join(', ')}.`);
  return {
    ...readOptions(SIMPLE, policy, '', error),
    acceptNames: matches(policy['acceptNames'] ?? ['same']),
    minimumCents: cents(policy['minimumBalance'] ?? '0', 'minimumBalance'),
    approvals: bands(policy['approvals'] ?? [{ from: '0', needed: 1 }]),
    windows: windows(policy['windows']),
    timeZone: timeZone(policy['timeZone'] ?? 'Africa/Dar_es_Salaam'),
  };
}

function matches(value: unknown): readonly NameMatch[] {
  if (Array.isArray(value) && value.every((match) => MATCHES.includes(match as NameMatch))) {
    return value as readonly NameMatch[];
  }
  throw error('acceptNames', "must be a list of 'same', 'similar' and 'different'.");
}

function bands(value: unknown): ResolvedBatchPolicy['approvals'] {
  const wrong = (): Error =>
    error(
      'approvals',
      "must begin at 0 and rise: write [{ from: '0', needed: 1 }, { from: '5000000', needed: 2 }].",
    );
  if (!Array.isArray(value) || value.length === 0) throw wrong();
  const read = value.map((band: unknown) => {
    if (!isRecord(band) || (band['needed'] !== 1 && band['needed'] !== 2)) throw wrong();
    return { fromCents: cents(band['from'], 'approvals'), needed: band['needed'] };
  });
  const rises = read.every(({ fromCents }, index) => fromCents > (read[index - 1]?.fromCents ?? -1n));
  if (!rises || read[0]?.fromCents !== 0n) throw wrong();
  return read;
}

function windows(value: unknown): ResolvedBatchPolicy['windows'] {
  if (value === undefined) return undefined;
  const wrong = (problem: string): Error => error('windows', problem);
  if (!Array.isArray(value) || value.length === 0) {
    throw wrong(
      "must be a list: write [{ days: ['mon', 'fri'], from: '08:00', to: '17:00' }], or leave it out.",
    );
  }
  return value.map((given: unknown) => {
    const { days, from, to } = isRecord(given) ? given : {};
    const isDays = Array.isArray(days) && days.length > 0 && days.every((day) => DAYS.includes(day as Day));
    if (!isDays) throw wrong(`has wrong days: write some of ${DAYS.map((day) => `'${day}'`).join(', ')}.`);
    const [opens, closes] = [minuteOf(from), minuteOf(to)];
    if (opens === undefined || closes === undefined)
      throw wrong("has a wrong time: write for example '08:00'.");
    if (opens >= closes)
      throw wrong('must end later on the same day: write two windows for one over midnight.');
    return { days: days as readonly Day[], from: opens, to: closes };
  });
}

function timeZone(value: unknown): string {
  try {
    if (typeof value !== 'string') throw new RangeError();
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw error('timeZone', "is no time zone: write for example 'Africa/Dar_es_Salaam'.");
  }
}

/** Zero is allowed, unlike for a payment. */
function cents(value: unknown, rule: string): bigint {
  const isZero = value === 0 || value === '0' || value === '0.00';
  if (isZero) return 0n;
  if (amountProblem(value) !== undefined)
    throw error(rule, "holds no amount: write for example '5000000' or '0'.");
  return parseCents(canonicalAmount(value as MoneyInput)) ?? 0n;
}
