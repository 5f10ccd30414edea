import fc from 'fast-check';

/** The first value in most cases. */
export function often<T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

export function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** A step that two of three stories have. */
export function perhaps<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> {
  return fc.oneof(
    { weight: 2, arbitrary: arbitrary.map((each) => [each]) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
}
