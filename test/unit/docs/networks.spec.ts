import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { normalizeTzPhone } from 'nestjs-payments';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';

const page = readFileSync('docs/networks.md', 'utf8');

/** The rows of the table that has a column of this name, as cells. */
function tableWith(column: string): readonly (readonly string[])[] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|') && line.includes(` ${column} `));
  const rest = lines.slice(start + 2);
  return rest
    .slice(
      0,
      rest.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const prefixes = tableWith('begins with').flatMap(([, , cell = '']) => cell.match(/\d+/g) ?? []);
const outcomes = tableWith('emulator').map(([what = '', , event = '', ending = '']) => ({
  what,
  event: event.replaceAll('`', ''),
  ending: ending.replaceAll('`', ''),
}));

it('docs/networks.md names each prefix once, and normalizeTzPhone reads a number of each', () => {
  expect(prefixes.length).toBeGreaterThan(10);
  expect(new Set(prefixes).size).toBe(prefixes.length);
  const written = prefixes.map((prefix) => `${prefix}4 000 001`);
  expect(written.map(normalizeTzPhone)).toEqual(prefixes.map((prefix) => `255${prefix.slice(1)}4000001`));
});

it.each(outcomes)('docs/networks.md says what the emulator does if the customer $what', async (row) => {
  const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  const { collect } = callerOf(sandbox);
  for (const prefix of prefixes) {
    const phone = `255${prefix.slice(1)}400${row.ending}`;
    const { status } = await collect({ phone, reference: phone });
    expect([phone, status]).toEqual([phone, 200]);
  }
  await sandbox.clock.advance('1d');
  const events = sandbox
    .payments()
    .map(({ status }) => (status === 'pending' ? 'none' : `payment.${status}`));
  expect(events).toEqual(prefixes.map(() => row.event));
});

it('docs/networks.md names the networks of the emulator, which prefixes do not decide', async () => {
  const { lookUp } = callerOf(await startSandbox());
  const found = new Map<string, unknown>();
  for (const prefix of prefixes) {
    const account_number = `255${prefix.slice(1)}4000001`;
    const { body } = await lookUp({ channel: 'MOBILE_MONEY', account_number });
    found.set(prefix, (body['data'] as Record<string, unknown>)['network']);
  }
  const named = new Set<unknown>(page.match(/NET_[A-Z]+/g));
  expect([...found.values()].filter((network) => !named.has(network))).toEqual([]);
  const [vodacom = ''] = tableWith('begins with').map(([, , cell]) => cell);
  const ofVodacom = (vodacom.match(/\d+/g) ?? []).map((prefix) => found.get(prefix));
  expect(new Set(ofVodacom).size).toBe(ofVodacom.length);
});

it('docs/networks.md has words that the shop checkout says, in both languages', async () => {
  const wordsOf = async (language: string) => {
    const file = join(process.cwd(), 'sample/02-shop-checkout/public', `${language}.js`);
    const words = ((await import(pathToFileURL(file).href)) as Record<string, Record<string, string>>)[
      language
    ];
    return Object.values(words!).map((text) => text.replaceAll('\u00a0', ' '));
  };
  const [english, swahili] = [await wordsOf('english'), await wordsOf('swahili')];
  const pairs = english.map((text, index) => `${text} | ${swahili[index]}`);
  const rows = tableWith('Swahili').map(([, ...pair]) => pair.join(' | '));
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !pairs.includes(row))).toEqual([]);
});
