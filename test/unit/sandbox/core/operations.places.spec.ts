import { describe, expect, it } from 'vitest';
import { existsSync, readFileSync } from 'node:fs';
import { MONEY_OPERATIONS, READ_OPERATIONS } from '../../../../lib/common/operations.js';
import { SANDBOX_OPERATIONS, type SandboxOperation } from '../../../../lib/sandbox/core/operation-name.js';
import { OPERATIONS } from '../../../../lib/sandbox/core/operations.js';
import { pageFiles } from '../../../../lib/sandbox/page/assets.generated.js';
import * as entry from '../../../../lib/index.js';
import { controlDocument } from '../../../support/control-contract.js';
import { gatewaySchema } from '../../../support/gateway-contract.js';
import { MONEY_CALLS, READ_CALLS } from '../../../support/operation-calls.js';

const sorted = (names: readonly string[]): readonly string[] => [...names].sort();

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
    expect(pageFiles['fault-form.js']).toContain("import { OPERATIONS } from './operations.generated.js'");
  });

  it('is an operation of the package, with the same path and kind', () => {
    const reading = Object.values(READ_OPERATIONS).map(({ method, path }) => [`${method} ${path}`, 'read']);
    const moving = Object.values(MONEY_OPERATIONS).map(({ path, family }) => [`POST ${path}`, family]);
    const kinds = { collection: 'collection', payout: 'disbursement', nothing: 'read' } as const;
    const performed = SANDBOX_OPERATIONS.map((name) => [name, kinds[OPERATIONS[name].makes ?? 'nothing']]);
    expect([...reading, ...moving].sort(), 'write a row in lib/common/operations.ts').toEqual(
      performed.sort(),
    );
  });

  it('is called by the specs of all operations', () => {
    expect(
      [Object.keys(READ_CALLS), Object.keys(MONEY_CALLS)],
      'write a call in test/support/operation-calls.ts',
    ).toEqual([Object.keys(READ_OPERATIONS), Object.keys(MONEY_OPERATIONS)]);
  });
});

describe('a payout', () => {
  const payouts = Object.values(MONEY_OPERATIONS).filter(({ family }) => family === 'disbursement');

  it.each(payouts)('to $path compares every field of the recipient that its answer repeats', (row) => {
    const { request = '' } = OPERATIONS[`POST ${row.path}` as SandboxOperation];
    const asked = Object.keys(gatewaySchema(request).properties);
    const { properties } = gatewaySchema(request.replace(/Request$/, ''));
    const ofAnyPayout = ['reference', 'amount', 'currency', 'remarks', 'metadata'];
    const repeated = asked.filter((field) => field in properties && !ofAnyPayout.includes(field));
    expect(Object.keys(row.echoes).sort(), 'write `echoes` in lib/common/operations.ts').toEqual(
      repeated.sort(),
    );
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
    expect(
      methods.filter((entry) => !isNamed(entry)),
      'write a row in docs/services.md',
    ).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8');
  const section = page.slice(page.indexOf('\n## An eighth gateway operation\n'));

  it.each(['reads', 'moves money'])(
    'takes a newcomer through an operation that %s in eight places, each of which is there',
    (kind) => {
      const [, part = ''] = section.split(`### One that ${kind}\n`);
      const places = [...part.split('\n##')[0]!.matchAll(/^\| `([^`]+)`/gm)].map(([, place = '']) => place);
      expect(places).toContain('lib/common/operations.ts');
      expect(places.length).toBeLessThanOrEqual(8);
      expect(places.filter((place) => !existsSync(place.replace(/<\w+>.*/, '')))).toEqual([]);
    },
  );
});
