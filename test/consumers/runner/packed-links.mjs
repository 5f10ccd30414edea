import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readManifest, sourcesOf } from '../../../scripts/repository.mjs';

const LINK = /\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"/g;
const FENCED = /^```[\s\S]*?^```$/gm;
const ENOUGH = 150;

/** No document of the tarball has a link that leads nowhere: neither in the tarball nor in the repository. */
export function checkLinks(content, root) {
  const links = markdownIn(content).flatMap((page) => linksOf(page));
  if (links.length < ENOUGH) throw new Error(`Only ${links.length} links were found.`);
  const sources = sourcesOf(readManifest());
  const dead = links.filter(({ page, link }) =>
    link.startsWith(sources)
      ? isDead(join(root, 'README.md'), link.slice(sources.length))
      : !/^[a-z]+:/i.test(link) && isDead(page, link),
  );
  if (dead.length > 0)
    throw new Error(dead.map(({ page, link }) => `${relative(content, page)}: ${link}`).join('\n'));
}

function markdownIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));
}

function linksOf(page) {
  const prose = readFileSync(page, 'utf8').replaceAll(FENCED, '');
  return [...prose.matchAll(LINK)].map(([, link, attribute]) => ({ page, link: link ?? attribute }));
}

function isDead(page, link) {
  const [path, anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(target)) return true;
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
}

/** The anchors of the headings, as GitHub and npm make them. */
function anchorsOf(page) {
  const headings = readFileSync(page, 'utf8')
    .replaceAll(FENCED, '')
    .matchAll(/^#+ (.*)$/gm);
  const seen = new Map();
  return new Set(
    [...headings].map(([, heading]) => {
      const anchor = heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-');
      const earlier = seen.get(anchor) ?? 0;
      seen.set(anchor, earlier + 1);
      return earlier === 0 ? anchor : `${anchor}-${earlier}`;
    }),
  );
}
