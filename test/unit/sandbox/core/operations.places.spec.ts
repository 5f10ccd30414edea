import { describe, expect, it } from 'vitest';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SANDBOX_OPERATIONS } from '../../../../lib/sandbox/core/operation-name.js';
import { pageFiles } from '../../../../lib/sandbox/page/assets.generated.js';
import * as entry from '../../../../lib/index.js';
import { controlDocument } from '../../../support/control-contract.js';

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

describe('docs/services.md', () => {
  it('names every method of the services', () => {
    const page = readFileSync('docs/services.md', 'utf8');
    const { CollectionsService, DisbursementsService, NameLookupService, WalletService, BanksService } =
      entry;
    const services = [
      CollectionsService,
      DisbursementsService,
      NameLookupService,
      WalletService,
      BanksService,
    ];
    // `BanksService.list()`, `.find(code)`
    const methods = services.flatMap(({ name, prototype }) =>
      Object.getOwnPropertyNames(prototype)
        .filter((method) => method !== 'constructor')
        .map((method) => ({ name, method })),
    );
    expect(methods.length).toBeGreaterThan(6);
    const isNamed = ({ name, method }: (typeof methods)[number]): boolean =>
      page.split('\n').some((line) => line.includes(`${name}.`) && line.includes(`.${method}(`));
    expect(methods.filter((entry) => !isNamed(entry))).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('takes a newcomer through an eighth operation in eight places at most, each of which is there', () => {
    const page = readFileSync('CONTRIBUTING.md', 'utf8');
    const section = page.slice(page.indexOf('\n## An eighth gateway operation\n'));
    const places = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, place = '']) => place);
    expect(places).toContain('lib/sandbox/core/operations.ts');
    expect(places.length).toBeLessThanOrEqual(8);
    expect(places.filter((place) => !existsSync(place.replace('<resource>', 'wallet')))).toEqual([]);
  });
});
