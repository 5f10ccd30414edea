import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { isPacked, packedPage } from '../../../scripts/packed-documents.mjs';
import { PAGES } from '../../support/document-pages.js';

const { files: packed } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
const files = ['dist/esm', 'docs', '!docs/pictures', '!docs/measured.md', 'CHANGELOG.md'];
const sources = 'https://github.com/acme/payments/blob/v0.1.0/';

describe('isPacked', () => {
  it.each([
    ['README.md', true],
    ['LICENSE', true],
    ['CHANGELOG.md', true],
    ['docs', true],
    ['docs/storage.md', true],
    ['docs/pictures/a.webp', false],
    ['docs/pictures.md', true],
    ['docs/measured.md', false],
    ['docs-of-another.md', false],
    ['SECURITY.md', false],
    ['sample/README.md', false],
  ])('of %s is %s', (path, packed) => {
    expect(isPacked(path, files)).toBe(packed);
  });
});

describe('packedPage', () => {
  it.each([
    [
      'keeps a link to a packed page',
      'README.md',
      '[a](docs/storage.md#sqlite)',
      '[a](docs/storage.md#sqlite)',
    ],
    ['keeps a link to a packed picture', 'docs/a.md', '![a](b.svg)', '![a](b.svg)'],
    [
      'shows a picture that is not packed from where the repository serves it',
      'docs/a.md',
      '![a](pictures/b.webp)',
      '![a](https://raw.githubusercontent.com/acme/payments/v0.1.0/docs/pictures/b.webp)',
    ],
    ['keeps an anchor of the page itself', 'README.md', '[a](#run)', '[a](#run)'],
    ['keeps an address', 'README.md', '[a](https://example.com/x)', '[a](https://example.com/x)'],
    ['leads to the repository from the top', 'README.md', '[a](SECURITY.md)', `[a](${sources}SECURITY.md)`],
    [
      'leads to the repository from a folder, with the anchor',
      'docs/a.md',
      '[a](../sample/README.md#b)',
      `[a](${sources}sample/README.md#b)`,
    ],
    ['leaves code alone', 'README.md', '```md\n[a](SECURITY.md)\n```\n', '```md\n[a](SECURITY.md)\n```\n'],
  ])('%s', (_, page, before, after) => {
    expect(packedPage(before, page, { files, sources })).toBe(after);
    expect(packedPage(after, page, { files, sources })).toBe(after);
  });
});

it.each(PAGES.filter((page) => isPacked(page, packed)))('%s is packed without a dead link', (page) => {
  const prose = packedPage(readFileSync(page, 'utf8'), page, { files: packed, sources }).replaceAll(
    /^```[^]*?^```$/gm,
    '',
  );
  const links = [...prose.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/gi)].map(([, path = '']) => path);
  expect(links.filter((path) => !isPacked(posix.join(posix.dirname(page), path), packed))).toEqual([]);
});
