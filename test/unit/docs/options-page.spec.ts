import { expect, it } from 'vitest';
import { join } from 'node:path';
import prettier from 'prettier';
import { type Option, type OptionTable } from '../../../lib/config/option.js';
import { OPTIONS, WEBHOOK_OPTIONS } from '../../../lib/config/option-defaults.js';
import { ACCOUNTS_OPTIONS } from '../../../lib/config/resolve-accounts.js';
import { CREDENTIAL_OPTIONS } from '../../../lib/config/resolve-credentials.js';
import { type DocumentedOption, documentedOptions } from '../../support/documented-options.js';

const PAGE = join(process.cwd(), 'docs/options.md');
const HEAD = `# Options

All options of one account, as \`PaymentsModule.forRoot\` and \`forRootAsync\` take them. A wrong one stops the boot with a \`PaymentsConfigError\` that
names it. This page is made of the table in \`lib/config/option-defaults.ts\`, from which the module reads them, and of their
TSDoc: \`npx vitest run test/unit/docs/options-page.spec.ts -u\` writes it again.

A registration whose accounts come from your database takes \`accounts\` in place of keys and secrets: [accounts from a
database](accounts.md#accounts-from-a-database). Its options are the last ones of this page.
`;

const files = ['lib/config/payments-options.ts', 'lib/config/webhook-options.ts'];
const ofAccounts = documentedOptions(['lib/config/accounts-options.ts'], 'PaymentsAccountsOptions');
const documented = [
  ...documentedOptions(files, 'PaymentsModuleOptions').filter(
    // A secret is a text, or an object with fields of its own: the TSDoc of the list tells of them.
    ({ path }) => path[0] !== 'webhooks' || path.length <= 2,
  ),
  ...ofAccounts.map((option) => ({ ...option, path: ['accounts', ...option.path] })),
];
const options = new Map([
  ...flat({ ...CREDENTIAL_OPTIONS, ...OPTIONS }),
  ...flat(WEBHOOK_OPTIONS, ['webhooks']),
  ...flat(ACCOUNTS_OPTIONS, ['accounts']),
]);

function flat(table: OptionTable, path: readonly string[] = []): [path: string, option: Option<unknown>][] {
  return Object.entries(table).flatMap(([name, option]) => {
    const here = [...path, name];
    return [[here.join('.'), option], ...flat(option.fields ?? {}, here)];
  });
}

function entry({ path, text }: DocumentedOption): string {
  const name = path.join('.');
  const option = options.get(name);
  const facts = option
    ? `Takes: ${option.takes}. Default: ${option.default}.`
    : 'Takes: object. Default: none.';
  return `## \`${name}\`\n\n${text}\n\n${facts}\n`;
}

it('every option of the public interfaces is in the table that the module reads, and every row of it is documented', () => {
  const names = documented.map(({ path }) => path.join('.')).filter((name) => name !== 'webhooks');
  expect(names.length).toBeGreaterThan(40);
  expect([...options.keys()].sort()).toEqual(names.sort());
});

it('the page of all options says what the table and the TSDoc say', async () => {
  const page = [HEAD, ...documented.map(entry)].join('\n');
  const config = await prettier.resolveConfig(PAGE);
  await expect(await prettier.format(page, { ...config, filepath: PAGE })).toMatchFileSnapshot(PAGE);
});
