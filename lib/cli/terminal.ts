import { styleText } from 'node:util';

/** How a piece of text looks; colours are dropped where the stream shows none, or `NO_COLOR` is set. */
export type Look = 'bold' | 'dim' | 'green' | 'red' | 'cyan' | 'yellow';

/** Where a command writes: its result to stdout, everything else that a person should read to stderr. */
export interface Terminal {
  readonly data: (line: string) => void;
  readonly say: (line: string) => void;
  /** For text that `say` gets. */
  readonly paint: Paint;
  /** For text that `data` gets. */
  readonly paintData: Paint;
}

export type Paint = (look: Look, text: string) => string;

export function terminalOf({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Terminal {
  return {
    data: (line) => void stdout.write(`${line}\n`),
    say: (line) => void stderr.write(`${line}\n`),
    paint: (look, text) => styleText(look, text, { stream: stderr }),
    paintData: (look, text) => styleText(look, text, { stream: stdout }),
  };
}

/** A value from outside, without the control characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '\u{FFFD}');
}
