import { isRecord } from '../common/json-object.js';
import { ageProblem } from '../common/milliseconds.js';
import { unknownFields } from '../errors/option-errors.js';
import { type ForgettablePayments } from '../storage/journal-store.js';

/**
 * How old payments must be to be forgotten, in milliseconds since their last change.
 *
 * @publicApi
 */
export interface PurgeAges {
  /** Settled payments. */
  readonly olderThanMs: number;
  /**
   * Refused payments, at least as old as settled ones. Their references are used up then: a further call with
   * one of them is a `ReferenceReusedError`, not the next attempt. The tombstone remembers if the refusal had
   * no listed code and so proves nothing.
   * @default they stay
   */
  readonly rejectedOlderThanMs?: number | undefined;
  /**
   * Payouts that the gateway accepted, at least as old as settled ones. No webhook ends them. Choose a time after which no statement
   * does either: reconciliation calls those that are forgotten `missing-here`.
   * @default they stay
   */
  readonly acceptedPayoutsOlderThanMs?: number | undefined;
  /**
   * Tombstones, in milliseconds since their payments were forgotten. After that a forgotten reference can be
   * paid again, with its first key, so choose a time after which no queue, job or customer repeats the call.
   * @default they stay
   */
  readonly tombstonesOlderThanMs?: number | undefined;
}

const AGES: readonly (keyof PurgeAges)[] = [
  'olderThanMs',
  'rejectedOlderThanMs',
  'acceptedPayoutsOlderThanMs',
  'tombstonesOlderThanMs',
];

/** Why one account forgets no accepted payouts if its options let it ask about them. */
export const OPEN_PAYOUTS =
  'acceptedPayoutsOlderThanMs would forget payouts that are open: the option statusPaths.disbursement lets recover() ask ' +
  'what happened to them, or write it down with settle()';

/**
 * The problems by field; undefined if there are none.
 *
 * @param whyNotPayouts What is wrong with an age for accepted payouts; undefined: it may be given.
 */
export function purgeProblems(
  ages: PurgeAges,
  whyNotPayouts: string | undefined,
): Readonly<Record<string, string[]>> | undefined {
  if (!isRecord(ages)) return { options: ['must be an object: write { olderThanMs: 90 * 86_400_000 }'] };
  const { olderThanMs, rejectedOlderThanMs, acceptedPayoutsOlderThanMs, tombstonesOlderThanMs } = ages;
  const further = { rejectedOlderThanMs, acceptedPayoutsOlderThanMs, tombstonesOlderThanMs };
  const named = Object.entries(further).filter(([, age]) => age !== undefined);
  const problems = [['olderThanMs', olderThanMs] as const, ...named].flatMap(([field, age]) => {
    const least = field === 'tombstonesOlderThanMs' ? 0 : olderThanMs;
    const problem =
      ageProblem(field, age, { exampleDays: 90 }) ??
      (Number(age) < least ? `${field} must not be shorter than olderThanMs` : undefined);
    return problem === undefined ? [] : [[field, [problem]] as [string, string[]]];
  });
  const all = { ...Object.fromEntries(problems), ...unknownFields(ages, AGES) };
  if (acceptedPayoutsOlderThanMs !== undefined && whyNotPayouts !== undefined) {
    return { ...all, acceptedPayoutsOlderThanMs: [whyNotPayouts] };
  }
  return Object.keys(all).length === 0 ? undefined : all;
}

/**
 * Forgets the payments of these ages.
 *
 * @returns How many payments were forgotten, without tombstones.
 */
export async function purgePayments(
  { olderThanMs, rejectedOlderThanMs, acceptedPayoutsOlderThanMs, tombstonesOlderThanMs }: PurgeAges,
  purge: (what: ForgettablePayments | 'tombstones', olderThanMs: number) => Promise<number>,
): Promise<number> {
  let all = await purge('settled', olderThanMs);
  if (rejectedOlderThanMs !== undefined) all += await purge('rejected', rejectedOlderThanMs);
  if (acceptedPayoutsOlderThanMs !== undefined) {
    all += await purge('accepted-payouts', acceptedPayoutsOlderThanMs);
  }
  if (tombstonesOlderThanMs !== undefined) await purge('tombstones', tombstonesOlderThanMs);
  return all;
}
