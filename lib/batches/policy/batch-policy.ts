import { amountProblem, type MoneyInput, parseCents } from '../../common/money.js';
import { isRecord } from '../../common/json-object.js';
import { isTimeZone } from '../../common/time-zone.js';
import { type OptionError, unknownOptions } from '../../errors/option-errors.js';
import { count, flag, milliseconds, readOptions } from '../../config/option.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { readAll } from '../../errors/wrong-options.js';
import { type NameMatch } from '../names/compare-names.js';
import { type Day, DAYS, minuteOf } from './week.js';

/**
 * How many people have to approve a batch of a certain size.
 *
 * @publicApi
 */
export interface ApprovalBand {
  /** The sum of the whole batch, not of a line, from which on the band counts, in TZS. */
  readonly from: MoneyInput;
  /** How many different people approve it: 1 or 2. */
  readonly needed: 1 | 2;
}

/**
 * A time of the week in which batches are paid.
 *
 * @publicApi
 */
export interface PayWindow {
  /** The days of the week on which it opens, for example `['mon', 'fri']`. */
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
  /** Which of the results `'same'`, `'similar'` and `'different'` of the comparison of names pay a line without a word of a person. @default ['same'] */
  readonly acceptNames?: readonly NameMatch[];
  /** A line whose recipient was looked up longer ago is checked again before it is sent, in milliseconds. @default 86_400_000 */
  readonly checkedWithinMs?: number;
  /** What must be left in the wallet, in TZS. @default '0' */
  readonly minimumBalance?: MoneyInput;
  /**
   * What the gateway charges for one payout at most, in TZS, by your contract: the wallet is compared with the amounts and the
   * fees. The specification names no fees before a payout. @default '0'
   */
  readonly feePerPayout?: MoneyInput;
  /** Bands by the sum of the batch: the first one from 0, each further one from more. @default [{ from: '0', needed: 1 }] */
  readonly approvals?: readonly ApprovalBand[];
  /** Whether the person who created a batch may approve it. @default false */
  readonly creatorMayApprove?: boolean;
  /** When batches are paid. Outside, a batch pauses until the next window opens. @default any time */
  readonly windows?: readonly PayWindow[];
  /** The time zone of the windows. @default 'Africa/Dar_es_Salaam' */
  readonly timeZone?: string;
  /**
   * A line is blocked if the same recipient got the same amount in another batch, on a line that changed within this
   * many days, or earlier in this batch; 0: never. A line also changes when somebody or a statement settles it, so
   * settle a batch soon after it was paid. @default 20
   */
  readonly sameRecipientWithinDays?: number;
  /** Pauses the batch after this many unknown outcomes in a row within a chunk of 100 lines: 1 to 100. @default 3 */
  readonly stopAfterUnknown?: number;
  /** Pauses the batch after this many refusals in a row within a chunk of 100 lines: 1 to 100. @default 10 */
  readonly stopAfterRefused?: number;
  /** Whether a batch that pauses because the wallet holds too little continues when it holds enough. @default false */
  readonly resumeAfterTopUp?: boolean;
}

/** The policy after validation, with defaults. */
export interface ResolvedBatchPolicy {
  readonly acceptNames: readonly NameMatch[];
  readonly checkedWithinMs: number;
  readonly minimumCents: bigint;
  readonly feeCents: bigint;
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
/** Lines of a chunk. Rows are counted within one, so a longer row would never stop a batch. */
const MOST_IN_A_ROW = 100;
const SIMPLE = {
  checkedWithinMs: milliseconds({ min: 1, default: 86_400_000 }),
  creatorMayApprove: flag(false),
  sameRecipientWithinDays: count({ min: 0, max: 3_650, default: 20 }),
  stopAfterUnknown: count({ min: 1, max: MOST_IN_A_ROW, default: 3 }),
  stopAfterRefused: count({ min: 1, max: MOST_IN_A_ROW, default: 10 }),
  resumeAfterTopUp: flag(false),
};
const FIELDS = [
  ...Object.keys(SIMPLE),
  'acceptNames',
  'minimumBalance',
  'feePerPayout',
  'approvals',
  'windows',
  'timeZone',
];

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`PayoutBatchesModule option \`policy.${option}\` ${problem}`);

/** @throws PaymentsConfigError that names every rule that is wrong or unknown. */
export function resolvePolicy(raw: unknown): ResolvedBatchPolicy {
  if (!isRecord(raw)) {
    throw new PaymentsConfigError(
      'PayoutBatchesModule option `policy` must be an object: write { creatorMayApprove: true }, or leave it out.',
    );
  }
  const { simple, ...rules } = readAll({
    simple: () =>
      readOptions(SIMPLE, raw, '', error, () => unknownOptions(Object.keys(raw), FIELDS, '', error)),
    acceptNames: () => matches(raw['acceptNames'] ?? ['same']),
    minimumCents: () => cents(raw['minimumBalance'] ?? '0', 'minimumBalance'),
    feeCents: () => cents(raw['feePerPayout'] ?? '0', 'feePerPayout'),
    approvals: () => bands(raw['approvals'] ?? [{ from: '0', needed: 1 }]),
    windows: () => windows(raw['windows']),
    timeZone: () => timeZone(raw['timeZone'] ?? 'Africa/Dar_es_Salaam'),
  });
  return { ...simple, ...rules };
}

/** The fields of a band or window. A misspelt one must not pass for one that was left out. */
function fieldsOf(
  given: unknown,
  fields: readonly string[],
  rule: string,
): Readonly<Record<string, unknown>> {
  if (isRecord(given) && Object.keys(given).every((field) => fields.includes(field))) return given;
  throw error(rule, `must hold objects with ${fields.join(', ')}, and nothing else.`);
}

function matches(value: unknown): readonly NameMatch[] {
  if (Array.isArray(value) && value.every((match) => MATCHES.includes(match as NameMatch))) {
    return [...(value as readonly NameMatch[])];
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
  const read = value.map((given: unknown) => {
    const { from, needed } = fieldsOf(given, ['from', 'needed'], 'approvals');
    if (needed === 1 || needed === 2) return { fromCents: cents(from, 'approvals'), needed };
    throw error('approvals', 'has a wrong number of people: write needed: 1 or needed: 2.');
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
    const { days, from, to } = fieldsOf(given, ['days', 'from', 'to'], 'windows');
    const isDays = Array.isArray(days) && days.length > 0 && days.every((day) => DAYS.includes(day as Day));
    if (!isDays) throw wrong(`has wrong days: write some of ${DAYS.map((day) => `'${day}'`).join(', ')}.`);
    const [opens, closes] = [minuteOf(from), minuteOf(to)];
    if (opens === undefined || closes === undefined)
      throw wrong("has a wrong time: write for example '08:00'.");
    if (opens >= closes)
      throw wrong('must end later on the same day: write two windows for one over midnight.');
    return { days: [...(days as readonly Day[])], from: opens, to: closes };
  });
}

function timeZone(value: unknown): string {
  if (isTimeZone(value)) return value;
  throw error('timeZone', "is no time zone: write for example 'Africa/Dar_es_Salaam'.");
}

/** Zero is allowed, unlike for a payment. */
function cents(value: unknown, rule: string): bigint {
  const isMoney = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  const read = isMoney ? parseCents(String(value)) : undefined;
  if (read === 0n || (read !== undefined && amountProblem(value) === undefined)) return read;
  throw error(rule, "holds no amount: write for example '5000000' or '0'.");
}
