import { cellText, digits, limitText, measuredText } from './text.mjs';

/** What a run measured, as the middle of a document. */
export function measuredMarkdown(figures, { rounds, machine }) {
  return [
    `Measured on ${machine.date}: ${machine.description}. ${rounds} interleaved rounds after two to warm up; medians, with the lowest and the highest in brackets.`,
    '![Each figure as a share of its goal](performance.svg)',
    '## Goals',
    goalTable(figures),
    ...figures.map(figureMarkdown),
    `Versions: ${machine.versions.map(([name, version]) => `${name} ${version}`).join(' · ')}.`,
  ].join('\n\n');
}

/** A figure that was measured without the others. */
export function figureAlone(figure, { rounds, machine }) {
  const [title, ...rest] = figureMarkdown(figure).split('\n\n');
  const when = `Measured alone on ${machine.date}: ${machine.description}. ${rounds} interleaved rounds after two to warm up.`;
  return [title, when, goalTable([figure]), ...rest].join('\n\n');
}

function goalTable(figures) {
  const rows = figures.flatMap(({ number, title, goals }) =>
    goals.map((goal) => [
      number,
      `${title}: ${goal.what}`,
      measuredText(goal) + (goal.min === undefined ? '' : ` [${digits(goal.min)}–${digits(goal.max)}]`),
      limitText(goal),
      goal.met ? 'reached' : `**missed by ${missedBy(goal)}**`,
    ]),
  );
  return table(['#', 'figure', 'measured', 'goal', ''], rows);
}

function missedBy({ measured, most, least, unit }) {
  const limit = least ?? most;
  return unit === '×'
    ? `${Math.ceil(Math.abs(measured / limit - 1) * 100)} %`
    : `${digits(Math.abs(measured - limit))} ${unit}`.trim();
}

function figureMarkdown({ number, title, unit, columns = [], rows, remarks }) {
  const cells = rows.map(({ name, median, min, max, ratio, more = [] }) => [
    name,
    `${digits(median)} [${digits(min)}–${digits(max)}]`,
    ratio.toFixed(2),
    ...more.map(cellText),
  ]);
  return [`## ${number}. ${title}`, table(['', unit, '×', ...columns], cells), ...remarks].join('\n\n');
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
