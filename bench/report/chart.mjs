import { limitText, measuredText } from './text.mjs';

const LABEL = 430;
const SCALE = 260;
const ROW = 24;
const TOP = 48;
/** Bars beyond this many times the goal are cut, and say so by their number. */
const LONGEST = 2;
const STYLE =
  'text{font:13px system-ui,sans-serif;fill:#1f2328}.small{font-size:12px;fill:#57606a}.met{fill:#2da44e}.missed{fill:#bf8700}' +
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#8b949e}}';

/** Every goal as a bar: how much of what it allows was used. */
export function chart(figures) {
  const bars = figures.flatMap(({ number, goals }) => goals.map((goal) => ({ number, goal })));
  const height = TOP + bars.length * ROW + 12;
  const goalAt = LABEL + SCALE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LABEL + SCALE * LONGEST + 130} ${height}" role="img" aria-label="Each figure as a share of its goal; shorter is better">`,
    `<style>${STYLE}</style>`,
    `<text x="${goalAt}" y="22" text-anchor="middle" class="small">goal</text>`,
    ...bars.map(bar),
    `<line x1="${goalAt}" y1="30" x2="${goalAt}" y2="${height - 8}" stroke="#57606a" stroke-dasharray="4 3"/>`,
    '</svg>\n',
  ].join('\n');
}

function bar({ number, goal }, index) {
  const y = TOP + index * ROW;
  const share = shareOf(goal);
  const width = Math.max(1, Math.round(Math.min(share, LONGEST) * SCALE));
  return [
    `<text x="${LABEL - 10}" y="${y + 5}" text-anchor="end">${escaped(`${number}. ${goal.what}`)}</text>`,
    `<rect x="${LABEL}" y="${y - 8}" width="${width}" height="16" rx="2" class="${goal.met ? 'met' : 'missed'}"/>`,
    `<text x="${LABEL + width + 8}" y="${y + 5}" class="small">${escaped(`${measuredText(goal)} (${limitText(goal)})`)}</text>`,
  ].join('\n');
}

/** How much of the goal was used; above 1 it was missed. */
function shareOf({ measured, most, least }) {
  if (least !== undefined) return measured === 0 ? LONGEST : least / measured;
  return most === 0 ? Number(measured > 0) * LONGEST : measured / most;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
