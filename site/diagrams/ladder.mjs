import { arrow, box, drawing, label } from './svg.mjs';

const CHECK = { x: 20, width: 250, height: 52 };
const EXIT = { x: 524, width: 216, height: 40 };
const ROW = 56;
const TOP = 16;

/**
 * Checks from top to bottom, each with the ways out of it.
 *
 * @param {{ title: string, description: string, rungs: readonly { check: readonly string[], kind?: string,
 *   exits: readonly { when: string, answer: readonly string[], kind?: string }[] }[] }} way
 */
export function ladder({ title, description, rungs }) {
  const tops = [TOP];
  for (const { exits } of rungs) tops.push(tops.at(-1) + Math.max(76, ROW * exits.length + 12));
  const parts = rungs.map(({ check, kind, exits }, index) => {
    const y = tops[index];
    const next = tops[index + 1];
    const middle = CHECK.x + CHECK.width / 2;
    return [
      box({ ...CHECK, y, kind, lines: check }),
      ...(index < rungs.length - 1
        ? [
            arrow([
              [middle, y + CHECK.height],
              [middle, next - 2],
            ]),
          ]
        : []),
      ...exits.map((exit, row) => exitParts(exit, y, y + ROW * row)),
    ].join('\n');
  });
  return drawing({ title, description, width: 760, height: tops.at(-1), parts });
}

function exitParts({ when, answer, kind }, checkTop, y) {
  const from = CHECK.x + CHECK.width;
  const [start, end] = [checkTop + CHECK.height / 2, y + 6 + EXIT.height / 2];
  const points =
    y === checkTop
      ? [
          [from, end],
          [EXIT.x - 2, end],
        ]
      : [
          [from + 14, start],
          [from + 14, end],
          [EXIT.x - 2, end],
        ];
  return [
    arrow(points),
    label(from + 24, end - 7, when, 'start'),
    box({ ...EXIT, y: y + 6, kind, lines: answer }),
  ].join('\n');
}
