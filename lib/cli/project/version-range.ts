const CARET = /^\^(\d+)\.(\d+)\.(\d+)$/;
const AT_LEAST = /^>=(\d+)\.(\d+)(?:\.(\d+))?$/;

/**
 * Whether a version lies in a range. The range has a form that this package's own package.json uses:
 * `^1.2.3 || ^2.0.0`, `>=20.19`.
 *
 * @throws RangeError for any other form.
 */
export function isInRange(version: string, range: string): boolean {
  // A pre-release counts as its release.
  const [, release = '0.0.0'] = /^v?(\d+\.\d+\.\d+)/.exec(version) ?? [];
  return range.split('||').some((alternative) => isWithin(release, alternative.trim()));
}

function isWithin(release: string, range: string): boolean {
  const floor = CARET.exec(range) ?? AT_LEAST.exec(range);
  if (!floor) throw new RangeError(`a range of another form: ${range}`);
  const [major = 0, minor = 0, patch = 0] = floor.slice(1).map((number) => Number(number || 0));
  if (isBelow(release, `${major}.${minor}.${patch}`)) return false;
  return range.startsWith('>=') || isBelow(release, caretEnd(major, minor, patch));
}

/** The first version that `^` excludes: the leftmost nonzero number must stay. */
function caretEnd(major: number, minor: number, patch: number): string {
  if (major > 0) return `${major + 1}.0.0`;
  return minor > 0 ? `0.${minor + 1}.0` : `0.0.${patch + 1}`;
}

function isBelow(left: string, right: string): boolean {
  return left.localeCompare(right, 'en', { numeric: true }) < 0;
}
