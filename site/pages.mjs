import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readManifest, sourcesOf } from '../scripts/repository.mjs';

export const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = sourcesOf(readManifest());

/** The folder that VitePress builds from. */
export const PAGES = fileURLToPath(new URL('pages', import.meta.url));

/** The site's address, or the path of its root: '/', '/nestjs-payments/', 'https://example.org/nestjs-payments/'. */
export const SITE = process.env.SITE_URL ?? '/';
export const BASE = new URL(SITE, 'http://localhost').pathname;

/** The list of all pages, with the sections of the navigation. */
const INDEX = 'docs/README.md';

/** Each Markdown file of the repository that is a page of the site, with its place there. */
export const PLACES = new Map([
  ['README.md', 'index.md'],
  [INDEX, 'index.md'],
  ...readdirSync(join(REPOSITORY, 'docs'))
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => [`docs/${file}`, file]),
  ['SECURITY.md', 'security.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['skills/nestjs-payments/SKILL.md', 'skill.md'],
  ['sample/README.md', 'samples/index.md'],
  ...readdirSync(join(REPOSITORY, 'sample'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [`sample/${name}/README.md`, `samples/${name}.md`]),
]);
const LINK = /\[([^[\]]*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]+)?\)/g;
const IMAGE = /\.(svg|png|webp)$/;
const WRITTEN = [...PLACES.keys()].filter((file) => file !== 'README.md');

/** Copies all pages of the repository, with links that are right on the site. */
export function stagePages() {
  for (const file of WRITTEN) stagePage(file);
  for (const image of readdirSync(join(REPOSITORY, 'docs'), { recursive: true })) {
    if (!IMAGE.test(image)) continue;
    // VitePress serves the first with a hash in its name, and the second to readers of the plain Markdown.
    for (const folder of [PAGES, join(PAGES, 'public')])
      cpSync(join(REPOSITORY, 'docs', image), join(folder, image));
  }
}

/** @param {string} file A Markdown file, relative to the repository. */
export function stagePage(file) {
  const place = PLACES.get(file);
  if (place === undefined) return;
  const target = join(PAGES, place);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, withSiteLinks(readFileSync(join(REPOSITORY, file), 'utf8'), file, place));
}

/** Rewrites the links of a page that lead to other files of the repository. Blocks of code keep what they have. */
function withSiteLinks(markdown, file, place) {
  const parts = markdown.split(/(^```[\s\S]*?^```$)/m);
  return parts.map((part) => (part.startsWith('```') ? part : linked(part, file, place))).join('');
}

function linked(prose, file, place) {
  return prose.replaceAll(LINK, (link, text, path, anchor = '') => {
    if (IMAGE.test(path)) return link;
    const target = posix.join(posix.dirname(file), path);
    const page = PLACES.get(target);
    if (page !== undefined) return `[${text}](${posix.relative(posix.dirname(place), page)}${anchor})`;
    if (!existsSync(join(REPOSITORY, target)))
      throw new Error(`${file} links to ${path}, which does not exist.`);
    return `[${text}](${SOURCES}${target})`;
  });
}

/**
 * The sections of the navigation with their pages: the headings and lists of the index.
 *
 * @returns {{ text: string, items: { text: string, page: string, when: string }[] }[]}
 */
export function sections() {
  const [, ...parts] = readFileSync(join(PAGES, 'index.md'), 'utf8').split(/^## /m);
  return parts.map((part) => ({
    text: part.slice(0, part.indexOf('\n')),
    items: [...part.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): ([\s\S]*?)(?=\n-|\n\n|\n$)/gm)].map(
      ([, text, page, when]) => ({
        text,
        page,
        when: when.replaceAll(/\s+/g, ' '),
      }),
    ),
  }));
}

/** All pages that are staged, relative to the folder. */
export function stagedPages() {
  return readdirSync(PAGES, { recursive: true })
    .filter((file) => file.endsWith('.md'))
    .sort();
}
