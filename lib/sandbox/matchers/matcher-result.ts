import { type MatcherSubject } from './subject.js';

/**
 * What `expect.extend` of Jest and Vitest takes as a matcher's answer.
 *
 * @publicApi
 */
export interface MatcherResult {
  /** Whether what was expected is so. */
  readonly pass: boolean;
  /** What to print where the expectation fails. */
  readonly message: () => string;
}

/**
 * The part of a matcher's `this` that Jest and Vitest share.
 *
 * @publicApi
 */
export interface MatcherContext {
  /** Whether the opposite is expected: `expect(…).not`. */
  readonly isNot?: boolean;
  /** Compares deeply, asymmetric matchers included. */
  equals(actual: unknown, expected: unknown): boolean;
}

/**
 * The fields that a record must have; asymmetric matchers such as `expect.stringContaining(…)` are allowed.
 *
 * @publicApi
 */
export type ExpectedFields<Fields> = {
  readonly [Name in keyof Fields]?: Fields[Name] | AsymmetricMatcher;
};

/**
 * What `expect.any(…)` and its like return, in Jest and in Vitest.
 *
 * @publicApi
 */
export interface AsymmetricMatcher {
  /** Whether a value fits. */
  asymmetricMatch(other: unknown): boolean;
}

/** Makes a matcher's answer. Its message explains what happened to the references. */
export function verdict(
  pass: boolean,
  { isNot }: MatcherContext,
  { expected, found }: { readonly expected: string; readonly found: string },
  subject: MatcherSubject,
  references: readonly string[],
): MatcherResult {
  return {
    pass,
    message: () =>
      [
        `Expected the sandbox ${isNot ? 'not ' : ''}${expected}.`,
        `Found: ${found}.`,
        ...[...new Set(references)].map((reference) => `\n${subject.explain(reference)}`),
      ].join('\n'),
  };
}

/** Whether every expected field fits; asymmetric matchers (`expect.any(…)`) count. */
export function fits(context: MatcherContext, actual: object, expected: object): boolean {
  const fields = actual as Readonly<Record<string, unknown>>;
  return Object.entries(expected).every(([name, value]) => context.equals(fields[name], value));
}

export function shown(value: object): string {
  return JSON.stringify(value);
}
