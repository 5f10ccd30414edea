import { styleText } from 'node:util';

/** How a piece of text looks; colours are dropped where the stream shows none, or `NO_COLOR` is set. */
export type Look = 'bold' | 'dim' | 'green' | 'red' | 'cyan';

/** Where a command writes: data to stdout, everything meant for a person to stderr. */
export interface Terminal {
  readonly data: (line: string) => void;
  readonly say: (line: string) => void;
  /** For text that `say` gets. */
  readonly paint: Paint;
}

export type Paint = (look: Look, text: string) => string;

export function terminalOf({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Terminal {
  return {
    data: (line) => void stdout.write(`${line}\n`),
    say: (line) => void stderr.write(`${line}\n`),
    paint: (look, text) => styleText(look, text, { stream: stderr }),
  };
}

/** A value from outside, without the control characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '\u{FFFD}');
}
