import { type MatcherSubject } from './subject.js';

/**
 * A matcher's result for `expect.extend` of Jest and Vitest.
 *
 * @publicApi
 */
export interface MatcherResult {
  /** Whether the expectation holds. */
  readonly pass: boolean;
  /** The text to print if the expectation fails. */
  readonly message: () => string;
}

/**
 * The part of a matcher's `this` that Jest and Vitest share.
 *
 * @publicApi
 */
export interface MatcherContext {
  /** Whether the test wrote `expect(…).not`. */
  readonly isNot?: boolean;
  /** Compares deeply, asymmetric matchers included. */
  equals(actual: unknown, expected: unknown): boolean;
}

/**
 * The fields that a record must have; they may be asymmetric matchers such as `expect.stringContaining(…)`.
 *
 * @publicApi
 */
export type ExpectedFields<Fields> = {
  readonly [Name in keyof Fields]?: Fields[Name] | AsymmetricMatcher;
};

/**
 * The return type of `expect.any(…)` and similar, in Jest and Vitest.
 *
 * @publicApi
 */
export interface AsymmetricMatcher {
  /** Whether a value fits. */
  asymmetricMatch(other: unknown): boolean;
}

interface VerdictTexts {
  readonly expected: string;
  readonly found: string;
  /** What differs in the record that is the nearest. */
  readonly misfits?: readonly string[];
}

/** Makes a matcher's result, with a message that explains what happened to the references. */
export function verdict(
  pass: boolean,
  { isNot }: MatcherContext,
  { expected, found, misfits = [] }: VerdictTexts,
  subject: MatcherSubject,
  references: readonly string[],
): MatcherResult {
  return {
    pass,
    message: () =>
      [
        `Expected the sandbox ${isNot ? 'not ' : ''}${expected}.`,
        `Found: ${found}.`,
        ...(pass ? [] : misfits.map((misfit) => `  ${misfit}`)),
        ...[...new Set(references)].map((reference) => `\n${subject.explain(reference)}`),
      ].join('\n'),
  };
}
