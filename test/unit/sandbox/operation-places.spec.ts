import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { SANDBOX_OPERATIONS } from '../../../lib/sandbox/core/operations.js';
import { pageFiles } from '../../../lib/sandbox/page/assets.generated.js';
import { controlDocument } from '../../support/control-contract.js';

const sorted = (names: readonly string[]): readonly string[] => [...names].sort();

/** The text of every module of the package itself: the emulator left out. */
function packageSources(): string {
  return readdirSync('lib', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('sandbox') && !file.startsWith('cli'))
    .map((file) => readFileSync(`lib/${file}`, 'utf8'))
    .join('\n');
}

/** CONTRIBUTING.md, "An eighth gateway operation", says where an operation has to be written. */
describe('every operation of the emulator', () => {
  it('can be named in a fault of the control API', () => {
    const { components } = controlDocument as unknown as {
      components: { schemas: { Operation: { enum: string[] } } };
    };
    expect(sorted(components.schemas.Operation.enum)).toEqual(sorted(SANDBOX_OPERATIONS));
  });

  it('can be chosen for a fault on the page', () => {
    const list = /OPERATIONS = (\[[^\]]*\])/.exec(pageFiles['operations.generated.js'] ?? '')?.[1] ?? '[]';
    expect(sorted(JSON.parse(list) as string[])).toEqual(sorted(SANDBOX_OPERATIONS));
    expect(pageFiles['forms.js']).toContain("import { OPERATIONS } from './operations.generated.js'");
  });

  it('is called by a service of the package', () => {
    const sources = packageSources();
    const isCalled = (operation: string): boolean => {
      const [, path = ''] = operation.split(' ');
      const [literal = '', parameter] = path.split('{');
      // A path with a parameter is a template literal: `/payments/${…}`.
      return sources.includes(parameter === undefined ? `'${path}'` : `\`${literal}\${`);
    };
    expect(SANDBOX_OPERATIONS.filter((operation) => !isCalled(operation))).toEqual([]);
  });
});
