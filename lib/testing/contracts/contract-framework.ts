/**
 * What the contracts need of a test framework. `describe`, `it` and `expect` of Jest and of Vitest fit, and `describe` and
 * `it` of `node:test` with the package `expect`.
 *
 * @publicApi
 */
export interface ContractFramework {
  /** Groups tests. */
  readonly describe: (name: string, tests: () => void) => unknown;
  /** Registers one test. */
  readonly it: (name: string, test: () => Promise<void>) => unknown;
  /** Begins an assertion. */
  readonly expect: ContractExpect;
}

/**
 * Begins an assertion, as `expect` of Jest and of Vitest.
 *
 * @publicApi
 */
export type ContractExpect = (actual: unknown) => ContractMatchers & {
  /** The opposite of each matcher. */
  readonly not: ContractMatchers;
};

/**
 * The matchers that the contracts use, with the meaning that they have in Jest and in Vitest.
 *
 * @publicApi
 */
export interface ContractMatchers {
  /** The same value. */
  toBe(expected: unknown): unknown;
  /** The same structure; a field that is undefined is as good as none. */
  toEqual(expected: unknown): unknown;
  /** At least these fields. */
  toMatchObject(expected: object): unknown;
  /** So many elements. */
  toHaveLength(expected: number): unknown;
  /** Undefined. */
  toBeUndefined(): unknown;
  /** Not undefined. */
  toBeDefined(): unknown;
  /** A larger number. */
  toBeGreaterThan(expected: number): unknown;
  /** A number that is larger or the same. */
  toBeGreaterThanOrEqual(expected: number): unknown;
  /** A number that is smaller or the same. */
  toBeLessThanOrEqual(expected: number): unknown;
}

/** Tests by their titles. Each gets a subject of its own. */
export type Cases<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void>>>;

/** The same test for several values. */
export function eachCase<Value, Subject>(
  values: readonly Value[],
  test: (value: Value) => readonly [title: string, test: (subject: Subject) => Promise<void>],
): Cases<Subject> {
  return Object.fromEntries(values.map(test));
}

/** Registers tests. */
export function registerCases<Subject>(
  { it }: ContractFramework,
  cases: Cases<Subject>,
  open: () => Promise<Subject>,
): void {
  for (const [title, test] of Object.entries(cases)) it(title, async () => test(await open()));
}
