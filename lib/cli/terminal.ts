import { styleText } from 'node:util';

/** The look of a text. There are no colours if the stream shows none or `NO_COLOR` is set. */
export type Look = 'bold' | 'dim' | 'green' | 'red' | 'cyan' | 'yellow';

/** The output of a command: its result goes to stdout, everything else for a person to stderr. */
export interface Terminal {
  readonly data: (line: string) => void;
  readonly say: (line: string) => void;
  /** For the text of `say`. */
  readonly paint: Paint;
  /** For the text of `data`. */
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
