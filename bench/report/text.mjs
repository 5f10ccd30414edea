/**
 * One figure for a terminal.
 *
 * @param columns What the numbers in `more` of each row are, after the ratio.
 */
export function figureText({ number, title, unit, columns = [], rows, goals, remarks }) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return [
    `\n${number}. ${title} (${[unit, '×', ...columns].join(' · ')})`,
    ...rows.map(({ name, median, min, max, ratio, more = [] }) =>
      [
        `  ${name.padEnd(width)}`,
        digits(median).padStart(8),
        `[${digits(min)}–${digits(max)}]`,
        `${ratio.toFixed(2)} ×`,
        ...more.map((each) => cellText(each).padStart(6)),
      ].join('  '),
    ),
    ...goals.map((goal) => `  ${goalText(goal)}`),
    ...remarks.map((remark) => `  ${remark}`),
  ].join('\n');
}

export function summaryText(figures) {
  const goals = figures.flatMap((figure) => figure.goals);
  const missed = goals.filter(({ met }) => !met).length;
  return `\n${goals.length - missed} of ${goals.length} goals reached`;
}

function goalText(goal) {
  return `${goal.met ? 'reached' : 'MISSED '}  ${goal.what}: ${measuredText(goal)}, goal ${limitText(goal)}`;
}

export function measuredText({ measured, unit }) {
  return `${digits(measured)}${unitText(unit)}`;
}

export function limitText({ most, least, unit }) {
  return `${least === undefined ? `≤ ${most}` : `≥ ${least}`}${unitText(unit)}`;
}

/** A number, or a text as it is. */
export function cellText(cell) {
  return typeof cell === 'number' ? digits(cell) : cell;
}

/** Three digits that mean something. */
export function digits(value) {
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

function unitText(unit) {
  return unit === '' ? '' : ` ${unit}`;
}
