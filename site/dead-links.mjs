import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * Every link of the built pages to a page, an anchor or a file that the site does not have. VitePress itself looks for
 * pages only.
 *
 * @param {string} dist Folder of the built pages.
 * @param {string} base Path below which they are served.
 */
export function deadLinks(dist, base) {
  const pages = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.html'));
  const anchors = new Map(
    pages.map((page) => [page, new Set(attributes(readFileSync(join(dist, page), 'utf8'), 'id'))]),
  );
  return pages.flatMap((page) =>
    attributes(readFileSync(join(dist, page), 'utf8'), 'href|src')
      .filter((link) => !isAlive(link, page))
      .map((link) => ({ page, link })),
  );

  function isAlive(link, page) {
    if (/^(?:[a-z]+:|\/\/)/.test(link)) return true;
    const { pathname, hash } = new URL(link, new URL(urlOf(page), 'http://localhost'));
    if (!pathname.startsWith(base)) return false;
    const target = fileOf(decodeURIComponent(pathname.slice(base.length)));
    if (hash === '') return anchors.has(target) || existsSync(join(dist, target));
    return anchors.get(target)?.has(decodeURIComponent(hash.slice(1))) ?? false;
  }

  function urlOf(page) {
    return base + page.replace(/(?:index)?\.html$/, '');
  }

  function fileOf(path) {
    if (path === '' || path.endsWith('/')) return `${path}index.html`;
    return posix.extname(path) === '' || anchors.has(`${path}.html`) ? `${path}.html` : path;
  }
}

/** The values of an attribute in all tags of a page; text and code have no `<`. */
function attributes(html, name) {
  return [...html.matchAll(/<[a-z][^<>]*>/g)].flatMap(([tag]) =>
    [...tag.matchAll(new RegExp(` (?:${name})="([^"]*)"`, 'g'))].map(([, value]) =>
      value.replaceAll('&amp;', '&'),
    ),
  );
}
