/**
 * How old payments must be to be forgotten, in milliseconds since their last change.
 *
 * @publicApi
 */
export interface PurgeAges {
  /** Settled payments. */
  readonly olderThanMs: number;
  /**
   * Refused payments, at least as old as settled ones. The next payment under a forgotten reference begins with its first key
   * again, which the gateway may still know.
   * @default they stay
   */
  readonly rejectedOlderThanMs?: number;
  /**
   * Payouts that the gateway took and of which nothing more will be heard, at least as old as settled ones. A forgotten one is
   * sent again where somebody asks for it, so take the longest time of all.
   * @default they stay
   */
  readonly acceptedPayoutsOlderThanMs?: number;
}

/** What is wrong with them, by field; undefined where nothing is. */
export function purgeProblems(
  ages: PurgeAges,
  canAskAboutPayouts: boolean,
): Readonly<Record<string, string[]>> | undefined {
  const { olderThanMs, rejectedOlderThanMs, acceptedPayoutsOlderThanMs } = ages;
  const further = { rejectedOlderThanMs, acceptedPayoutsOlderThanMs };
  const named = Object.entries(further).filter(([, age]) => age !== undefined);
  const problems = [['olderThanMs', olderThanMs] as const, ...named].flatMap(([field, age]) => {
    const problem = ageProblem(field, age, olderThanMs);
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
