/**
 * How old payments must be to be forgotten, in milliseconds since their last change.
 *
 * @publicApi
 */
export interface PurgeAges {
  /** Settled payments. */
  readonly olderThanMs: number;
  /**
   * Refused payments, at least as old as settled ones. After that their references are used up: a further
   * call under one of them is a `ReferenceReusedError`, not the next attempt. Of a refusal without a listed
   * code, the tombstone remembers that it proves nothing.
   * @default they stay
   */
  readonly rejectedOlderThanMs?: number;
  /**
   * Payouts that the gateway took and of which nothing more will be heard, at least as old as settled ones.
   * @default they stay
   */
  readonly acceptedPayoutsOlderThanMs?: number;
  /**
   * Tombstones, in milliseconds since their payments were forgotten. Only then can a forgotten reference be
   * paid again, with its first key: take longer than any queue, job or customer may come back.
   * @default they stay
   */
  readonly tombstonesOlderThanMs?: number;
}

/** What is wrong with them, by field; undefined where nothing is. */
export function purgeProblems(
  ages: PurgeAges,
  canAskAboutPayouts: boolean,
): Readonly<Record<string, string[]>> | undefined {
  const { olderThanMs, rejectedOlderThanMs, acceptedPayoutsOlderThanMs, tombstonesOlderThanMs } = ages;
  const further = { rejectedOlderThanMs, acceptedPayoutsOlderThanMs, tombstonesOlderThanMs };
  const named = Object.entries(further).filter(([, age]) => age !== undefined);
  const problems = [['olderThanMs', olderThanMs] as const, ...named].flatMap(([field, age]) => {
    const problem = ageProblem(field, age, field === 'tombstonesOlderThanMs' ? 0 : olderThanMs);
    return problem === undefined ? [] : [[field, [problem]] as [string, string[]]];
  });
  if (acceptedPayoutsOlderThanMs !== undefined && canAskAboutPayouts) {
    const problem =
      'acceptedPayoutsOlderThanMs would forget payouts that are open: the option statusPaths.disbursement lets recover() ask ' +
      'what came of them, or write it down with settle()';
    return { ...Object.fromEntries(problems), acceptedPayoutsOlderThanMs: [problem] };
  }
  return problems.length === 0 ? undefined : Object.fromEntries(problems);
}

function ageProblem(field: string, age: unknown, settledAge: number): string | undefined {
  if (!Number.isSafeInteger(age) || Number(age) <= 0) {
    return `${field} must be a whole number of milliseconds greater than 0: write 90 * 86_400_000`;
  }
  return Number(age) < settledAge ? `${field} must not be shorter than olderThanMs` : undefined;
}
