import { arrow, box, drawing, label } from './svg.mjs';

const LANE = { width: 150, height: 40, top: 16 };
const STEP = 44;
const MARGIN = 20;

/**
 * Who sends what to whom, in time.
 *
 * @param {{ title: string, description: string, width?: number, lanes: readonly string[],
 *   steps: readonly (readonly [from: number, to: number, text: string, answer?: 'answer'])[] }} story
 */
export function sequence({ title, description, width = 720, lanes, steps }) {
  const gap = (width - 2 * MARGIN - LANE.width) / (lanes.length - 1);
  const centre = (lane) => MARGIN + LANE.width / 2 + lane * gap;
  const bottom = LANE.top + LANE.height;
  const end = bottom + STEP * steps.length + 24;
  return drawing({
    title,
    description,
    width,
    height: end + 10,
    parts: [
      ...lanes.map((_, lane) => `<path class="dashed" d="M${centre(lane)} ${bottom} V${end}"/>`),
      ...lanes.map((name, lane) =>
        box({ ...LANE, x: centre(lane) - LANE.width / 2, y: LANE.top, lines: [name] }),
      ),
      ...steps.map((step, index) => stepParts(step, bottom + STEP * (index + 1), centre)),
    ],
  });
}

function stepParts([from, to, text, answer], y, centre) {
  if (from === to) return label(centre(from), y, text);
  const [start, end] = [centre(from), centre(to)];
  return [
    arrow(
      [
        [start, y],
        [end, y],
      ],
      { dashed: answer === 'answer' },
    ),
    label((start + end) / 2, y - 7, text),
  ].join('\n');
}
