import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, posix, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Folders of `test/unit` that test what is outside `lib/`, or `lib/` as a whole. */
const OF_NO_FOLDER = ['architecture', 'docs', 'pages'];

const specs = readdirSync('test/unit', { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(sep).join(posix.sep))
  .filter(
    (file) => file.endsWith('.spec.ts') && !OF_NO_FOLDER.some((folder) => file.startsWith(`${folder}/`)),
  );

/** `common/money.spec.ts` and `common/money.helpers.spec.ts` test a file of `lib/common` with the name `money`. */
function isBesideItsFile(spec: string): boolean {
  const folder = join('lib', dirname(spec));
  const name = basename(spec, '.spec.ts');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.some((file) => {
    const tested = file.replace(/\.(ts|yaml)$/, '');
    return tested !== file && (name === tested || name.startsWith(`${tested}.`));
  });
}

describe('the unit specs', () => {
  it('have the path and the name of the file that they test', () => {
    expect(specs.length).toBeGreaterThan(100);
    expect(specs.filter((spec) => !isBesideItsFile(spec))).toEqual([]);
  });
});
