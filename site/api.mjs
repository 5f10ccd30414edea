import { basename, dirname } from 'node:path';
import { stagedPages } from './pages.mjs';

const KINDS = {
  classes: 'Classes',
  functions: 'Functions',
  variables: 'Constants',
  interfaces: 'Interfaces',
  'type-aliases': 'Types',
};

/** The page of each entry point. */
export function entryPoints() {
  return apiPages()
    .filter((page) => page.endsWith('/index.md'))
    .map((page) => ({ text: dirname(page).slice('api/'.length), link: `/${page}` }))
    .sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** The sidebar of each entry point: its exports by kind, then the other entry points. */
export function apiSidebars() {
  const all = { text: 'Entry points', items: entryPoints() };
  const sidebars = all.items.map(({ text, link }) => [
    `${dirname(link)}/`,
    [{ text, link, items: exportsOf(dirname(link)) }, all],
  ]);
  return { '/api/': [all], ...Object.fromEntries(sidebars) };
}

function exportsOf(entryPoint) {
  return Object.entries(KINDS)
    .map(([folder, text]) => ({ text, items: pagesOf(`${entryPoint}/${folder}`) }))
    .filter(({ items }) => items.length > 0);
}

function pagesOf(folder) {
  return apiPages()
    .filter((page) => dirname(`/${page}`) === folder)
    .map((page) => ({ text: basename(page, '.md'), link: `/${page}` }));
}

function apiPages() {
  return stagedPages().filter((page) => page.startsWith('api/nestjs-payments/'));
}
