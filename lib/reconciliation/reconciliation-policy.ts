import { count, milliseconds, readOptions } from '../config/option.js';
import { type OptionError, refuseUnknown } from '../errors/option-errors.js';
import { isRecord } from '../common/json-object.js';
import { amountProblem, type MoneyInput, parseCents } from '../common/money.js';
import { isTimeZone } from '../common/time-zone.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';

const HOUR_MS = 3_600_000;
const LONGEST_MS = 366 * 24 * HOUR_MS;

/**
 * How a row without a reference may find its payment.
 *
 * @publicApi
 */
export interface LooseMatching {
  /** The longest time in milliseconds from the payment to the row. */
  readonly withinMs: number;
}

/**
 * What counts as a difference.
 *
 * @publicApi
 */
export interface ReconciliationPolicy {
  /** The zone in which a day begins and ends. @default 'Africa/Dar_es_Salaam' */
  readonly timeZone?: string;
  /**
   * How much later than a payment the time of its row may be, in milliseconds; at most a year. A payment that moved this short
   * before the end of its day, and has no row, is an exception of the next close only, if no row has the time of the next day. A
   * later statement cannot supply a row of an earlier day: that is left out. Also how long a payment may be unknown before that is
   * an exception. @default 3_600_000
   */
  readonly statementLagMs?: number;
  /**
   * How long an accepted payment may stay without an outcome, in milliseconds; at most a year. A later movement is `late`.
   * @default 86_400_000
   */
  readonly outcomeWithinMs?: number;
  /**
   * How long after acceptance a payout may still change the balance, in milliseconds; at most a year. Only for applications
   * without statements: the specification has nothing that ends a payout, so without this each accepted payout makes the
   * interval of the balance wider for all later days. The contract with the gateway knows. @default no limit
   */
  readonly payoutsEndWithinMs?: number;
  /**
   * The largest fee of a payment in TZS, for payments whose fee the gateway has not said.
   * @default the amount of the payment, and at least `'10000.00'`
   */
  readonly largestFee?: MoneyInput;
  /**
   * Whether a row without a reference may belong to a payment with the same amount at about the same time, and the same phone or
   * account number if the row has one. Only where exactly one row and one payment fit. @default never
   */
  readonly looseMatching?: LooseMatching;
  /**
   * How many exceptions a close with a statement may find. A statement of another account has more, and ends with an error.
   * @default 100_000
   */
  readonly mostExceptions?: number;
}

/** The policy after validation. */
export interface ResolvedReconciliationPolicy {
  readonly timeZone: string;
  readonly statementLagMs: number;
  readonly outcomeWithinMs: number;
  readonly mostExceptions: number;
  /** Infinity: no limit. */
  readonly payoutsEndWithinMs: number;
  readonly largestFeeCents: number | undefined;
  readonly looseMatching: LooseMatching | undefined;
}

const SIMPLE = {
  statementLagMs: count({ min: 0, max: LONGEST_MS, default: HOUR_MS, unit: 'milliseconds' }),
  outcomeWithinMs: count({ min: 0, max: LONGEST_MS, default: 24 * HOUR_MS, unit: 'milliseconds' }),
  mostExceptions: count({ min: 1, max: 10_000_000, default: 100_000 }),
};
const WITHIN = { withinMs: milliseconds({ min: 1, max: LONGEST_MS, default: HOUR_MS }) };
const END = { payoutsEndWithinMs: milliseconds({ min: 1, max: LONGEST_MS, default: LONGEST_MS }) };
const FIELDS = [...Object.keys(SIMPLE), 'timeZone', 'payoutsEndWithinMs', 'largestFee', 'looseMatching'];

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`ReconciliationModule option \`policy.${option}\` ${problem}`);

/** @throws PaymentsConfigError that names the rule that is wrong or unknown. */
export function resolveReconciliationPolicy(raw: unknown): ResolvedReconciliationPolicy {
  if (!isRecord(raw)) {
    throw new PaymentsConfigError(
      "ReconciliationModule option `policy` must be an object: write { timeZone: 'Africa/Dar_es_Salaam' }, or leave it out.",
    );
  }
  refuseUnknown(raw, FIELDS, error);
  const { timeZone = 'Africa/Dar_es_Salaam', looseMatching } = raw;
  if (!isTimeZone(timeZone))
    throw error('timeZone', "is no time zone: write for example 'Africa/Dar_es_Salaam'.");
  return {
    ...readOptions(SIMPLE, raw, '', error),
    timeZone,
    payoutsEndWithinMs:
      raw['payoutsEndWithinMs'] === undefined
        ? Infinity
        : readOptions(END, raw, '', error).payoutsEndWithinMs,
    largestFeeCents: largestFee(raw['largestFee']),
    looseMatching: looseMatching === undefined ? undefined : loose(looseMatching),
  };
}

function loose(given: unknown): LooseMatching {
  if (isRecord(given) && Object.keys(given).join() === 'withinMs')
    return readOptions(WITHIN, given, 'looseMatching', error);
  throw error(
    'looseMatching',
    'must be an object with withinMs: write { withinMs: 900_000 }, or leave it out.',
  );
}

function largestFee(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const isMoney = typeof given === 'string' || typeof given === 'number' || typeof given === 'bigint';
  const text = isMoney ? String(given) : '';
  const cents = amountProblem(text) === undefined ? parseCents(text) : undefined;
  if (cents !== undefined) return Number(cents);
  throw error('largestFee', "holds no amount greater than 0: write for example '10000'.");
}
