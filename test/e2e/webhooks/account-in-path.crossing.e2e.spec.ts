import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { addMerchant, sendRaw, signedSale, startMarketplace } from '../../support/marketplace-app.js';
import { adapters } from '../../support/webhook-app.js';

/** Names that look alike, or that code could take for something else. */
const ACCOUNTS = [
  'shop',
  'Shop',
  'SHOP',
  'shop.',
  '-shop',
  'sh-op',
  '...',
  '0',
  '__proto_',
  'account',
  'default',
];
const AROUND = [
  '',
  '/',
  '//',
  '/.',
  '/..',
  '?account=school',
  '#school',
  ';school',
  '%00',
  '%20',
  '%2F',
  '.json',
];

const escaped = (letters: string, which: readonly boolean[]): string =>
  Array.from(letters)
    .map((letter, at) => (which[at] ? `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}` : letter))
    .join('');

/** A spelling of a path's end: mostly near a name that exists. */
const spelling = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...ACCOUNTS),
        fc.oneof(fc.constant([]), fc.array(fc.boolean(), { maxLength: 8 })),
        fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.constantFrom(...AROUND)),
      )
      .map(([name, which, end]) => escaped(name, which) + end),
  },
  fc
    .tuple(fc.constantFrom(...ACCOUNTS), fc.constantFrom(...ACCOUNTS))
    .map(([one, other]) => `${one}/../${other}`),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '%5f_proto__',
    'x'.repeat(10_240),
    '\uff53hop',
    'sho\u0301p',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((text) => encodeURIComponent(text)),
);

describe.each(adapters)('on %s', (adapter) => {
  it('no spelling of a path takes a webhook that was signed for one account to another', async () => {
    const { app, port, merchants, sales } = await startMarketplace(adapter, {
      accounts: { pathLookupsPerSecond: 100_000 },
    });
    for (const name of ACCOUNTS) addMerchant(merchants, name);
    const statuses = new Map<number, number>();
    let sent = 0;
    const check = fc.asyncProperty(fc.constantFrom(...ACCOUNTS), spelling, async (signedFor, end) => {
      sent += 1;
      const heard = sales.all.length;
      const sale = signedSale(signedFor, { reference: `${signedFor}|${sent}` });
      const status = await sendRaw(port, `/webhooks/payments/${end}`, sale);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(sales.all.length - heard).toBe(status === 200 ? 1 : 0);
      const [account] = (sales.all.at(-1) ?? signedFor).split(' ');
      if (status === 200) expect(account).toBe(signedFor);
    });
    // The name itself, so that some arrive.
    const own = fc.asyncProperty(
      fc.constantFrom(...ACCOUNTS),
      fc.array(fc.boolean()),
      async (name, which) => {
        sent += 1;
        const sale = signedSale(name, { reference: `${name}|${sent}` });
        expect(await sendRaw(port, `/webhooks/payments/${escaped(name, which)}`, sale)).toBe(200);
        expect(sales.all.at(-1)).toBe(`${name} ${name}|${sent}`);
      },
    );
    try {
      await fc.assert(check, { numRuns: 400 });
      await fc.assert(own, { numRuns: 40 });
    } finally {
      await app.close();
    }
    expect(statuses.get(401)).toBeGreaterThan(200);
    expect(sales.all.every((line) => line.startsWith(`${line.split(' ')[1]!.split('|')[0]!} `))).toBe(true);
  });
});
