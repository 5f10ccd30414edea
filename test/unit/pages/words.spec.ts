import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const FOLDER = 'lib/sandbox/page';

type Words = Readonly<Record<string, string>>;

async function wordsOf(language: string): Promise<Words> {
  const file = pathToFileURL(join(process.cwd(), FOLDER, `${language}.js`)).href;
  return ((await import(file)) as Readonly<Record<string, Words>>)[language]!;
}

function gapsOf(words: string): readonly string[] {
  return [...words.matchAll(/\{\w+\}/g)].map(([gap]) => gap).sort();
}

const sources = readdirSync(FOLDER)
  .filter((name) => /\.(html|js)$/.test(name) && !['english.js', 'swahili.js'].includes(name))
  .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
  .join('\n');

describe("the words of the emulator's page", () => {
  it('are the same ones in both languages, with the same gaps', async () => {
    const [english, swahili] = [await wordsOf('english'), await wordsOf('swahili')];
    expect(Object.keys(swahili)).toEqual(Object.keys(english));
    for (const [key, words] of Object.entries(english))
      expect([key, gapsOf(swahili[key]!)]).toEqual([key, gapsOf(words)]);
  });

  it('are there for every key that the page asks for, and for no other', async () => {
    const english = await wordsOf('english');
    const asked = [...sources.matchAll(/data-(?:text|label)="([^"]+)"|(?<!con)text\('([\w.]+)'/g)].map(
      ([, inPage, inCode]) => (inPage ?? inCode)!,
    );
    expect(asked.length).toBeGreaterThan(80);
    expect(asked.filter((key) => !(key in english))).toEqual([]);
    const built = /^(status|fault)\./;
    const named = (key: string) => asked.includes(key) || sources.includes(`'${key}'`);
    expect(Object.keys(english).filter((key) => !built.test(key) && !named(key))).toEqual([]);
  });
});
