import { useData, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineComponent, h } from 'vue';
import './site.css';

const MarkdownLink = defineComponent(() => {
  const { page } = useData();
  return () =>
    h('p', { class: 'markdown-link' }, [
      // `_self` keeps the router from opening it as a page of the site.
      h('a', { href: withBase(`/${page.value.relativePath}`), target: '_self' }, 'This page as Markdown'),
    ]);
});

/** @type {import('vitepress').Theme} */
export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLink) }),
};
