import { describe, expect, it } from 'vitest';
import { isInRange } from '../../../../lib/cli/project/version-range.js';
import { readFileSync } from 'node:fs';
import { type PackageFacts } from '../../../../lib/cli/package-facts.js';

describe('whether a version lies in a range', () => {
  it.each([
    ['12.5.1', '^11.0.0 || ^12.0.0', true],
    ['11.0.0', '^11.0.0 || ^12.0.0', true],
    ['13.0.0', '^11.0.0 || ^12.0.0', false],
    ['10.9.9', '^11.0.0 || ^12.0.0', false],
    ['0.5.1', '^0.5.1', true],
    ['0.5.0', '^0.5.1', false],
    ['0.6.0', '^0.5.1', false],
    ['0.0.3', '^0.0.3', true],
    ['0.0.4', '^0.0.3', false],
    ['7.10.0', '^7.8.0', true],
    ['7.7.9', '^7.8.0', false],
    ['12.0.0-next.1', '^12.0.0', true],
    ['20.19.0', '>=20.19', true],
    ['v24.1.0', '>=20.19', true],
    ['20.18.9', '>=20.19', false],
    ['20.19.1', '>=20.19.2', false],
  ])('%s in %s: %s', (version, range, expected) => {
    expect(isInRange(version, range)).toBe(expected);
  });

  it('is known for every range in the package.json', () => {
    const { engines, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as PackageFacts;
    for (const range of [engines.node, ...Object.values(peerDependencies)]) {
      expect(() => isInRange('1.0.0', range)).not.toThrow();
    }
    expect(() => isInRange('1.0.0', '~1.0.0')).toThrow(RangeError);
  });
});
