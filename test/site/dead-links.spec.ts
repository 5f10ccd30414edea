import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { deadLinks } from '../../site/dead-links.mjs';

const dist = mkdtempSync(join(tmpdir(), 'dead-links-'));

function site(pages: Readonly<Record<string, string>>): void {
  for (const [file, html] of Object.entries(pages)) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    writeFileSync(join(dist, file), html);
  }
}

afterEach(() => {
  rmSync(dist, { recursive: true });
});

it.each([
  ['a page', 'collect'],
  ['a page by its whole path', '/base/collect'],
  ['an anchor of another page', './collect#names'],
  ['an anchor of the page itself', '#here'],
  ['the page of a folder', 'api/'],
  ['a file', 'collect.md'],
  ['another host', 'https://example.org/nowhere#at-all'],
  ['a mailbox', 'mailto:payments@example.org'],
])('a link to %s is alive', (_, link) => {
  site({
    'index.html': `<h1 id="here">Here</h1><a href="${link}">there</a>`,
    'collect.html': '<h2 class="x" id="names">Names</h2>',
    'collect.md': '# Names',
    'api/index.html': '',
  });
  expect(deadLinks(dist, '/base/')).toEqual([]);
});

it.each([
  ['a page that does not exist', 'colect'],
  ['an anchor that another page does not have', 'collect#name'],
  ['an anchor that the page itself does not have', '#there'],
  ['a folder without a page', 'collect/'],
  ['a file that does not exist', 'collect.txt'],
  ['an anchor of a file that is no page', 'collect.md#names'],
  ['a page outside of the base', '/collect'],
])('a link to %s is dead', (_, link) => {
  site({
    'index.html': `<h1 id="here">Here</h1><a href="${link}">there</a>`,
    'collect.html': '<h2 id="names">Names</h2>',
    'collect.md': '# Names',
  });
  expect(deadLinks(dist, '/base/')).toEqual([{ page: 'index.html', link }]);
});

it('a picture that does not exist is a dead link, and a path in code is none', () => {
  site({ 'index.html': '<code>&lt;a href="gone"&gt;</code><img alt="" src="gone.svg">' });
  expect(deadLinks(dist, '/')).toEqual([{ page: 'index.html', link: 'gone.svg' }]);
});
