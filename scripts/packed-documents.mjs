// What npm and readers of node_modules get has no link to a file that the tarball does not hold: it leads to the
// repository instead. `prepack` rewrites the documents, and `postpack` (--restore) brings the originals back.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readManifest, sourcesOf } from './repository.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ORIGINALS = join(ROOT, 'node_modules', '.cache', 'nestjs-payments-documents');
const LINK = /(\]\()(?![a-z]+:|#)([^)\s#]+)/gi;
const PICTURE = /\.(webp|svg|png)$/;
const FENCED = /(^```[\s\S]*?^```$)/m;
/** npm packs these whatever `files` says. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

/** Whether the tarball holds a file or folder of the repository. */
export function isPacked(path, files) {
  const within = (entry) => path === entry || path.startsWith(`${entry}/`);
  const leftOut = files.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1));
  return [...ALWAYS, ...files].some(within) && !leftOut.some(within);
}

/** The page with absolute links where the tarball does not hold the target. Blocks of code stay as they are. */
export function packedPage(markdown, page, { files, sources }) {
  const rewrite = (prose) =>
    prose.replace(LINK, (link, start, path) => {
      const target = posix.join(posix.dirname(page), path);
      if (isPacked(target, files)) return link;
      return `${start}${PICTURE.test(target) ? rawAddress(sources) : sources}${target}`;
    });
  const parts = markdown.split(FENCED);
  return parts.map((part) => (part.startsWith('```') ? part : rewrite(part))).join('');
}

/** Where GitHub serves a file itself, which a page can show, not the page about it. */
function rawAddress(sources) {
  return sources.replace('https://github.com/', 'https://raw.githubusercontent.com/').replace('/blob/', '/');
}

function rewriteAll() {
  const manifest = readManifest();
  const place = { files: manifest.files, sources: sourcesOf(manifest) };
  for (const page of pages(manifest.files)) {
    const file = join(ROOT, page);
    const before = readFileSync(file, 'utf8');
    const after = packedPage(before, page, place);
    if (after === before) continue;
    mkdirSync(dirname(join(ORIGINALS, page)), { recursive: true });
    cpSync(file, join(ORIGINALS, page));
    writeFileSync(file, after);
  }
}

/** A page that somebody has edited since it was rewritten keeps the edit. */
function restoreAll() {
  if (!existsSync(ORIGINALS)) return;
  const manifest = readManifest();
  const place = { files: manifest.files, sources: sourcesOf(manifest) };
  for (const page of markdownIn(ORIGINALS)) {
    const original = readFileSync(join(ORIGINALS, page), 'utf8');
    const current = readFileSync(join(ROOT, page), 'utf8');
    if (current === packedPage(original, page, place)) writeFileSync(join(ROOT, page), original);
    else console.error(`${page} has changed since it was packed: its links stay absolute.`);
  }
  rmSync(ORIGINALS, { recursive: true });
}

function pages(files) {
  const folders = files.filter((entry) => existsSync(join(ROOT, entry)) && !/^(dist\/|.*\.md$)/.test(entry));
  const below = folders.flatMap((folder) =>
    markdownIn(join(ROOT, folder)).map((page) => posix.join(folder, page)),
  );
  const own = files.filter((entry) => /^[^!].*\.md$/.test(entry));
  return ['README.md', ...own, ...below].filter((page) => isPacked(page, files));
}

function markdownIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join(posix.sep));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  restoreAll(); // also what an interrupted `npm pack` left
  if (!process.argv.includes('--restore')) rewriteAll();
}
