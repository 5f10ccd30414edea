import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGES = [
  {
    file: 'lib/sandbox/page/page.css',
    pairs: [
      ...pairs(['ink', 'muted', 'good', 'bad', 'wait', 'calm'], ['surface']),
      ...pairs(['ink', 'muted'], ['ground', 'screen']),
      ...pairs(['on-accent'], ['accent']),
    ],
  },
  {
    file: 'sample/01-quickstart/public/shop.css',
    pairs: [
      ...pairs(['ink', 'muted', 'good', 'bad', 'wait', 'accent'], ['ground', 'surface']),
      ...pairs(['ink', 'muted'], ['tint']),
      ...pairs(['on-accent'], ['accent']),
      ...pairs(['surface'], ['good', 'bad']),
    ],
  },
  {
    file: 'sample/02-shop-checkout/public/shop.css',
    pairs: [
      ...pairs(['ink', 'muted', 'good', 'bad', 'wait', 'accent'], ['ground', 'surface']),
      ...pairs(['ink', 'muted'], ['tint']),
      ...pairs(['on-accent'], ['accent']),
      ...pairs(['surface'], ['good', 'bad', 'wait']),
    ],
  },
];

function pairs(texts: readonly string[], grounds: readonly string[]): [string, string][] {
  return grounds.flatMap((ground) => texts.map((text): [string, string] => [text, ground]));
}

/** The colours of the light scheme, and those of the dark one over them. */
function schemesOf(file: string): Record<'light' | 'dark', ReadonlyMap<string, string>> {
  const css = readFileSync(file, 'utf8');
  const [light, dark] = [...css.matchAll(/:root \{([^}]+)\}/g)].map(([, block]) => coloursOf(block!));
  return { light: light!, dark: new Map([...light!, ...dark!]) };
}

function coloursOf(block: string): Map<string, string> {
  return new Map(
    [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]),
  );
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter! + 0.05) / (darker! + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

describe.each(PAGES)('the colours of $file', ({ file, pairs: wanted }) => {
  it.each(['light', 'dark'] as const)('are readable in the %s scheme (4.5 to 1)', (scheme) => {
    const colours = schemesOf(file)[scheme];
    const faint = wanted.filter(([text, ground]) => contrast(colours.get(text)!, colours.get(ground)!) < 4.5);
    expect(faint).toEqual([]);
  });
});
