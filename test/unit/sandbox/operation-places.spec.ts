import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { REQUEST_SCHEMAS, SANDBOX_OPERATIONS } from '../../../lib/sandbox/core/operations.js';
import { gatewayDocument } from '../../support/gateway-contract.js';

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
    const { components } = parse(readFileSync('lib/sandbox/openapi/control.yaml', 'utf8')) as {
      components: { schemas: { Operation: { enum: string[] } } };
    };
    expect(sorted(components.schemas.Operation.enum)).toEqual(sorted(SANDBOX_OPERATIONS));
  });

  it('can be chosen for a fault on the page', () => {
    const form = readFileSync('lib/sandbox/page/forms.js', 'utf8');
    const list = /const OPERATIONS = \[([^\]]*)\]/.exec(form)?.[1] ?? '';
    expect(sorted([...list.matchAll(/'([^']+)'/g)].map(([, name]) => name!))).toEqual(
      sorted(SANDBOX_OPERATIONS),
    );
  });

  it('validates its body, where gateway.yaml has one', () => {
    const withBody = Object.entries(gatewayDocument.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => 'requestBody' in (operation as object))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    expect(withBody).toHaveLength(5);
    const unchecked = SANDBOX_OPERATIONS.filter(
      (operation) => withBody.includes(operation) && !REQUEST_SCHEMAS[operation],
    );
    expect(unchecked).toEqual([]);
  });

  it('is called by a service of the package', () => {
    const sources = packageSources();
    const paths = SANDBOX_OPERATIONS.map((operation) => operation.split(' ')[1]!);
    expect(paths.filter((path) => !sources.includes(`'${path}'`))).toEqual([]);
  });
});
