import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDERS = ['lib/sandbox/page', 'sample/01-quickstart/public', 'sample/02-shop-checkout/public'];

function contents(folder: string, ending: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

describe.each(FOLDERS)('the page in %s', (folder) => {
  const html = contents(folder, '.html');

  it('holds no script and no style of its own, so that a strict policy fits it', () => {
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    expect([...html.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, code]) => code)).not.toContainEqual(
      expect.stringMatching(/\S/),
    );
  });

  it('names nothing outside itself, and works behind any prefix', () => {
    const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    const foreign = addresses.filter((address) => /^(?!data:)(\/|[a-z]+:)/.test(address!));
    expect(foreign).toEqual([]);
    expect(contents(folder, '.js')).not.toMatch(/https?:|fetch\(['"`]\//);
    expect(contents(folder, '.css')).not.toMatch(/url\(|@import/);
  });

  it('writes what it is given as text only', () => {
    expect(contents(folder, '.js')).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/,
    );
  });
});
