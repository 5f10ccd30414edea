import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

/** `built`: the beginnings of keys that the page puts together; `others`: further folders of the page. */
const PAGES = [
  {
    folder: 'lib/sandbox/page',
    others: [],
    built: /^(status|empty|fault|due|happened|dueWhat|one|book|add|rule|what|page)\./,
    atLeast: 80,
  },
  {
    folder: 'sample/01-quickstart/public',
    others: [],
    built: /^(product|status|reason|payout|wrong|step)\./,
    atLeast: 20,
  },
  {
    folder: 'sample/02-shop-checkout/public',
    others: ['sample/02-shop-checkout/pages'],
    built: /^(product|state|reason|next|wrong)\./,
    atLeast: 20,
  },
] as const;

type Words = Readonly<Record<string, string>>;

async function wordsOf(folder: string, language: string): Promise<Words> {
  const file = pathToFileURL(join(process.cwd(), folder, `${language}.js`)).href;
  return ((await import(file)) as Readonly<Record<string, Words>>)[language]!;
}

function gapsOf(words: string): readonly string[] {
  return [...words.matchAll(/\{\w+\}/g)].map(([gap]) => gap).sort();
}

function sourceOf(folder: string): string {
  return readdirSync(folder)
    .filter((name) => /\.(html|js)$/.test(name) && !['english.js', 'swahili.js'].includes(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

describe.each(PAGES)('the words of the page in $folder', ({ folder, others, built, atLeast }) => {
  it('are the same ones in both languages, with the same gaps', async () => {
    const [english, swahili] = [await wordsOf(folder, 'english'), await wordsOf(folder, 'swahili')];
    expect(Object.keys(swahili)).toEqual(Object.keys(english));
    for (const [key, words] of Object.entries(english)) {
      expect([key, gapsOf(swahili[key]!)]).toEqual([key, gapsOf(words)]);
      expect([key, swahili[key]!.trim()]).not.toEqual([key, '']);
    }
  });

  it('are there for every key that the page asks for, and for no other', async () => {
    const english = await wordsOf(folder, 'english');
    const source = [folder, ...others].map(sourceOf).join('\n');
    const asked = [
      ...source.matchAll(
        /data-(?:text|label|hint)="([^"]+)"|(?<!con)text\('([\w.]+)'|worded\('\w+', '([\w.]+)'/g,
      ),
    ].map(([, ...found]) => found.find(Boolean)!);
    expect(asked.length).toBeGreaterThan(atLeast);
    expect(asked.filter((key) => !(key in english))).toEqual([]);
    const named = (key: string) => asked.includes(key) || source.includes(`'${key}'`);
    expect(Object.keys(english).filter((key) => !built.test(key) && !named(key))).toEqual([]);
  });
});

/** The members of a union type of a source file, for example `'placed' | 'paid'`. */
function membersOf(file: string, type: string): readonly string[] {
  const [, union = ''] = new RegExp(`type ${type} =([^;]+);`).exec(readFileSync(file, 'utf8')) ?? [];
  return [...union.matchAll(/'([\w-]+)'/g)].map(([, member]) => member!);
}

/** The fields of the requests that a file declares. */
function fieldsOf(...files: readonly string[]): readonly string[] {
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/readonly (\w+)[!?]:/g)].map(([, field]) => field!),
  );
}

const QUICKSTART = 'sample/01-quickstart';
const CHECKOUT = 'sample/02-shop-checkout';

describe('the words of a shop', () => {
  it.each(['english', 'swahili'])('never break a count of seconds from its unit: %s', async (language) => {
    const { againLater } = await wordsOf('sample/02-shop-checkout/public', language);
    expect(againLater).toMatch(/\u00a0\{seconds\}$|\{seconds\}\u00a0s$/);
  });

  it('are there for every state, reason, product and field of the quickstart', async () => {
    const order = `${QUICKSTART}/src/orders/order.ts`;
    const payouts = `${QUICKSTART}/src/payouts`;
    const products = readFileSync(`${QUICKSTART}/src/orders/products.ts`, 'utf8').matchAll(/id: '(\w+)'/g);
    const ids = [...products].map(([, id]) => id);
    const fields = fieldsOf(
      `${QUICKSTART}/src/orders/place-order.dto.ts`,
      `${payouts}/prepare-payout.dto.ts`,
    );
    const ended = membersOf(`${payouts}/payout.ts`, 'PayoutStatus').filter(
      (status) => !['prepared', 'sending'].includes(status),
    );
    const expected = [
      ...membersOf(order, 'OrderStatus').map((status) => `status.${status}`),
      ...ended.map((status) => `payout.${status}`),
      ...ids.flatMap((id) => [`product.${id}`, `product.${id}.note`]),
      ...fields.map((field) => `wrong.${field}`),
    ];
    expect(expected.length).toBeGreaterThan(20);
    const words = await wordsOf(`${QUICKSTART}/public`, 'english');
    expect(expected.filter((key) => !(key in words))).toEqual([]);
  });

  it('are there for every state, reason, product and field of the checkout', async () => {
    const order = `${CHECKOUT}/src/orders/order.ts`;
    const rows = readFileSync(`${CHECKOUT}/migrations/001-shop.sql`, 'utf8').matchAll(
      /\(\d, '(\w+)', \d+\)/g,
    );
    const expected = [
      ...membersOf(order, 'OrderState').map((state) => `state.${state}`),
      // What failed has the words of its reason.
      ...membersOf(order, 'OrderState')
        .filter((state) => state !== 'failed')
        .map((state) => `state.${state}.words`),
      ...membersOf(order, 'FailureReason').map((reason) => `reason.${reason}`),
      ...['again', 'number', 'same', 'wait'].map((action) => `next.${action}`),
      ...[...rows].flatMap(([, id]) => [`product.${id}`, `product.${id}.note`]),
      ...fieldsOf(`${CHECKOUT}/src/orders/place-order.dto.ts`).map((field) => `wrong.${field}`),
    ];
    expect(expected.length).toBeGreaterThan(30);
    const words = await wordsOf(`${CHECKOUT}/public`, 'english');
    expect(expected.filter((key) => !(key in words))).toEqual([]);
  });

  it('fit every call, also a payout and a read, where they name the rule of the mode', async () => {
    const page = 'lib/sandbox/page';
    // Nobody approves a payout, and a read ends nothing.
    expect((await wordsOf(page, 'english'))['rule.auto']).not.toMatch(/approve/i);
    expect((await wordsOf(page, 'swahili'))['rule.auto']).not.toMatch(/thibitish/i);
  });
});
