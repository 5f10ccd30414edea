const LINE = 19;

/**
 * A drawing in one file: light or dark as the page that shows it, with a title and a text for those who do not see it.
 *
 * @param {{ title: string, description: string, width: number, height: number, parts: readonly string[] }} drawing
 */
export function drawing({ title, description, width, height, parts }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>
svg { --ink: #1b1b1f; --soft: #55555d; --paper: #ffffff; --box: #f3f5fa; --edge: #6b7a99; --good: #e4f3e8; --bad: #fbe6e4; --open: #fdf1d3; }
@media (prefers-color-scheme: dark) {
svg { --ink: #f0f0f3; --soft: #b6b6c0; --paper: #1b1b1f; --box: #272b36; --edge: #8e9cba; --good: #1f3b2a; --bad: #4a2523; --open: #453818; }
}
text { font: 14px system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif; fill: var(--ink); }
.strong { font-weight: 600; }
.label { font-size: 13px; fill: var(--soft); stroke: var(--paper); stroke-width: 5px; stroke-linejoin: round; paint-order: stroke; }
rect { fill: var(--box); stroke: var(--edge); stroke-width: 1.5px; }
rect.paper { fill: var(--paper); stroke: none; }
rect.good { fill: var(--good); }
rect.bad { fill: var(--bad); }
rect.open { fill: var(--open); }
path { fill: none; stroke: var(--edge); stroke-width: 1.5px; }
path.dashed { stroke-dasharray: 5 4; }
marker path { fill: var(--edge); stroke: none; }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="paper" width="${width}" height="${height}" rx="8"/>
${parts.join('\n')}
</svg>
`;
}

/** A box whose first line is its name. `kind`: `good`, `bad` or `open`. */
export function box({ x, y, width, height, kind = '', lines: [name, ...rest] }) {
  const middle = x + width / 2;
  const first = y + height / 2 - (rest.length * LINE) / 2 + 5;
  return [
    `<rect${kind && ` class="${kind}"`} x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    `<text class="strong" x="${middle}" y="${first}" text-anchor="middle">${escaped(name)}</text>`,
    ...rest.map(
      (line, index) =>
        `<text x="${middle}" y="${first + (index + 1) * LINE}" text-anchor="middle">${escaped(line)}</text>`,
    ),
  ].join('\n');
}

/** An arrow through these points, rounded by nothing. */
export function arrow(points, { dashed = false, both = false } = {}) {
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
  const tips = `${both ? ' marker-start="url(#tip)"' : ''} marker-end="url(#tip)"`;
  return `<path${dashed ? ' class="dashed"' : ''} d="${path}"${tips}/>`;
}

/** What an arrow means. `anchor`: `start`, `middle` or `end`. */
export function label(x, y, text, anchor = 'middle') {
  const lines = text.split('\n');
  return lines
    .map(
      (line, index) =>
        `<text class="label" x="${x}" y="${y + index * 17}" text-anchor="${anchor}">${escaped(line)}</text>`,
    )
    .join('\n');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
