import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PAGES } from '../../support/document-pages.js';

const FOLDER = 'docs/diagrams';
const diagrams = readdirSync(FOLDER);

/** What a reader without pictures reads: the sentence or table that follows each picture of a diagram. */
function textsAfter(diagram: string): readonly string[] {
  return PAGES.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/!\[([^\]]+)\]\(([^)]+)\)\n\n([^\n]*)/g)]
      .filter(([, , file]) => file === `diagrams/${diagram}` || file === `docs/diagrams/${diagram}`)
      .map(([, , , text]) => text!),
  );
}

it('the diagrams are what site/diagrams draws', () => {
  expect(diagrams.length).toBeGreaterThanOrEqual(7);
  execFileSync(process.execPath, ['site/draw.mjs', '--check'], { stdio: 'pipe' });
});

it('no document has a diagram that only GitHub draws', () => {
  const drawnElsewhere = PAGES.filter(
    (page) => page.startsWith('docs/') && readFileSync(page, 'utf8').includes('```mermaid'),
  );
  expect(drawnElsewhere).toEqual([]);
});

describe.each(diagrams)('%s', (diagram) => {
  const svg = readFileSync(`${FOLDER}/${diagram}`, 'utf8');

  it('has a title, a description and colours for a dark page', () => {
    expect(svg).toMatch(/<title id="title">[^<]{5,}<\/title>/);
    expect(svg).toMatch(/<desc id="description">[^<]{100,}<\/desc>/);
    expect(svg).toContain('aria-labelledby="title description"');
    expect(svg).toContain('@media (prefers-color-scheme: dark)');
  });

  it('loads nothing and runs nothing', () => {
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|<script|@import|<image|<use/,
    );
  });

  it('is on a page, with its text beside it', () => {
    const texts = textsAfter(diagram);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => !text.startsWith('In words: '))).toEqual([]);
  });
});
