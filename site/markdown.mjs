import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entryPoints } from './api.mjs';
import { PAGES, sections, SITE, stagedPages } from './pages.mjs';

/**
 * Writes each page as Markdown beside it, and the two files of llmstxt.org: `llms.txt`, a list of all pages, and
 * `llms-full.txt`, the text of all documents.
 *
 * @param {string} dist
 */
export function writeMarkdown(dist) {
  for (const page of stagedPages()) {
    mkdirSync(dirname(join(dist, page)), { recursive: true });
    copyFileSync(join(PAGES, page), join(dist, page));
  }
  const documents = sections();
  const [title, summary] = introduction();
  const links = documents.map(({ text, items }) => [
    `## ${text}`,
    items.map(({ text: name, page, when }) => `- [${name}](${SITE}${page}): ${when}`).join('\n'),
  ]);
  const api = entryPoints()
    .map(({ text, link }) => `- [${text}](${SITE}${link.slice(1)})`)
    .join('\n');
  writeFileSync(join(dist, 'llms.txt'), [title, summary, ...links.flat(), '## API', api].join('\n\n') + '\n');
  const pages = documents.flatMap(({ items }) => items.map(({ page }) => page));
  writeFileSync(
    join(dist, 'llms-full.txt'),
    pages.map((page) => `<!-- ${SITE}${page} -->\n\n${readFileSync(join(PAGES, page), 'utf8')}`).join('\n'),
  );
}

/** The name of the package as the title, and the first paragraph of the index as a quotation. */
function introduction() {
  const [, paragraph] = readFileSync(join(PAGES, 'index.md'), 'utf8').split('\n\n');
  return ['# nestjs-payments', `> ${paragraph.replaceAll('\n', ' ')}`];
}
