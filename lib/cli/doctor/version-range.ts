const CARET = /^\^(\d+)\.(\d+)\.(\d+)$/;
const AT_LEAST = /^>=(\d+)\.(\d+)(?:\.(\d+))?$/;

/**
 * Whether a version lies in a range. The range has a form that this package's own package.json uses:
 * `^1.2.3 || ^2.0.0`, `>=20.19`.
 *
 * @throws RangeError for any other form.
 */
export function isInRange(version: string, range: string): boolean {
  const numbers = numbersOf(version);
  return range.split('||').some((alternative) => isWithin(numbers, alternative.trim()));
}

type Numbers = readonly [number, number, number];

function isWithin(version: Numbers, range: string): boolean {
  const floor = CARET.exec(range) ?? AT_LEAST.exec(range);
  if (!floor) throw new RangeError(`a range of another form: ${range}`);
  const lowest = [floor[1], floor[2], floor[3] ?? 0].map(Number) as unknown as Numbers;
  if (isBelow(version, lowest)) return false;
  return range.startsWith('>=') || isBelow(version, caretEnd(lowest));
}

/** The first version that `^` excludes: the leftmost nonzero number must stay. */
function caretEnd([major, minor, patch]: Numbers): Numbers {
  if (major > 0) return [major + 1, 0, 0];
  return minor > 0 ? [0, minor + 1, 0] : [0, 0, patch + 1];
}

function isBelow(left: Numbers, right: Numbers): boolean {
  const index = left.findIndex((number, place) => number !== right[place]);
  return index >= 0 && (left[index] ?? 0) < (right[index] ?? 0);
}

/** A pre-release counts as its release. */
function numbersOf(version: string): Numbers {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)];
}
