import { tableLines } from '../../common/table-lines.js';
import { type CloseException } from '../exceptions/close-exception.js';
import { type CloseToReport } from './close-to-report.js';
import { factsOf, gravestFirst, openText } from './exception-facts.js';
import { type FigureTable, figuresOf, NUMBERS, titleOf } from './figures.js';
import { type AtClock, clocksOf } from './wording.js';

const WIDTH = 100;
const INDENT = '  ';
const LABEL_WIDTH = 11;

/** A close for people at a terminal, at most 100 columns wide. */
export function plainText({ summary, exceptions }: CloseToReport): string {
  const at = clocksOf(summary.timeZone);
  const { title, about } = titleOf(summary, at);
  const lines = [title, ...about.flatMap((sentence) => wrapped(sentence, INDENT))];
  for (const table of figuresOf(summary, at)) lines.push('', ...figureLines(table));
  lines.push('', 'Exceptions', ...wrapped(openText(exceptions), INDENT));
  for (const exception of gravestFirst(exceptions)) lines.push('', ...exceptionLines(exception, at));
  return `${lines.join('\n')}\n`;
}

/** An exception with both sides, for people at a terminal. */
export function exceptionLines(exception: CloseException, at: AtClock): readonly string[] {
  const { title, facts } = factsOf(exception, at);
  return [...wrapped(title, INDENT), ...facts.flatMap(([label, text]) => labelled(label, text))];
}

function figureLines({ title, head, rows, notes }: FigureTable): readonly string[] {
  const withRule = [...rows.slice(0, -1), ruleOf({ head, rows }), ...rows.slice(-1)];
  const table = rows.length === 0 ? [] : tableLines(head, withRule, NUMBERS);
  return [
    ...wrapped(title, ''),
    ...table.map((line) => INDENT + line),
    ...notes.flatMap((note) => wrapped(note, INDENT)),
  ];
}

/** A line above the sum, as wide as the numbers are. */
function ruleOf({ head, rows }: Pick<FigureTable, 'head' | 'rows'>): readonly string[] {
  return head.map((name, column) =>
    NUMBERS.includes(name) ? '-'.repeat(Math.max(...rows.map((row) => row[column]?.length ?? 0))) : '',
  );
}

function labelled(label: string, text: string): readonly string[] {
  const indent = INDENT + INDENT;
  const [first = '', ...more] = wrapped(text, indent + ' '.repeat(LABEL_WIDTH));
  return [indent + label.padEnd(LABEL_WIDTH) + first.trimStart(), ...more];
}

/** Lines of whole words. A word that is longer than a line is cut. */
function wrapped(text: string, indent: string): readonly string[] {
  const room = WIDTH - indent.length;
  const lines: string[] = [];
  let line = '';
  for (const piece of text.split(' ').flatMap((word) => cut(word, room))) {
    if (line !== '' && line.length + 1 + piece.length > room) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? piece : ` ${piece}`;
  }
  return [...lines, line].map((each) => indent + each);
}

/** Cuts between whole characters. */
function cut(word: string, room: number): readonly string[] {
  if (word.length <= room) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece.length + character.length > room) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
