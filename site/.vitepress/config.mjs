import { join, relative, sep } from 'node:path';
import { slug } from 'github-slugger';
import { defineConfig } from 'vitepress';
import { apiSidebars } from '../api.mjs';
import { BASE, PLACES, REPOSITORY, sections, stagePage } from '../pages.mjs';

const documents = sections();
const reference = documents.find(({ text }) => text === 'Reference');
reference.items.unshift({ text: 'API', page: 'api/index.md' });

export default defineConfig({
  title: 'nestjs-payments',
  description: 'Payments for NestJS in Tanzania that never send money twice.',
  lang: 'en',
  base: BASE,
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  cleanUrls: true,
  metaChunk: true,
  markdown: {
    // The anchors that GitHub makes: the documents' links work in both places.
    anchor: { slugify: slug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: ({ core, renderer }) => {
      // Wide tables scroll, so the keyboard must reach them.
      renderer.rules.table_open = () => '<table tabindex="0">\n';
      core.ruler.push('empty_headers', ({ tokens }) => emptyHeadersAreCells(tokens));
    },
  },
  themeConfig: {
    nav: [
      { text: 'Money safety', link: '/money-safety' },
      { text: 'API', link: '/api/' },
      { text: 'Changes', link: '/changelog' },
    ],
    sidebar: {
      '/': documents.map(({ text, items }) => ({
        text,
        items: items.map(({ text: name, page }) => ({ text: name, link: `/${page}` })),
      })),
      ...apiSidebars(),
    },
    outline: [2, 3],
    search: { provider: 'local' },
  },
  transformHead: ({ pageData: { relativePath } }) =>
    relativePath === '404.md'
      ? []
      : [['link', { rel: 'alternate', type: 'text/markdown', href: `${BASE}${relativePath}` }]],
  vite: {
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 5_000 },
    plugins: [{ name: 'documents', configureServer: ({ watcher }) => watchDocuments(watcher) }],
  },
});

/** A table's empty corner is no header to a screen reader. */
function emptyHeadersAreCells(tokens) {
  for (const [index, { type, content }] of tokens.entries()) {
    const [open, close] = [tokens[index - 1], tokens[index + 1]];
    if (type === 'inline' && content === '' && open?.type === 'th_open') open.tag = close.tag = 'td';
  }
}

/** While the site is served, a change of a document is a change of its page. */
function watchDocuments(watcher) {
  watcher.add([...PLACES.keys()].map((file) => join(REPOSITORY, file)));
  watcher.on('change', (file) => stagePage(relative(REPOSITORY, file).split(sep).join('/')));
}
