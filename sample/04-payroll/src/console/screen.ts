import { stripVTControlCharacters, styleText } from 'node:util';

export type Look = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** A coloured piece of a line. There is no colour if the stream shows none or `NO_COLOR` is set. */
export interface Piece {
  readonly look: Look;
  readonly text: string;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const CLEAR_LINE = '\r\u001B[2K';

/** The operator's screen: lines that stay and, on a terminal, one last line that changes. */
export class Screen {
  private status = '';

  constructor(
    private readonly stdout: Output,
    private readonly stderr: Output,
  ) {}

  get isTerminal(): boolean {
    return this.stdout.isTTY === true;
  }

  line(...pieces: readonly (string | Piece)[]): void {
    this.write(this.stdout, pieces);
  }

  problem(...pieces: readonly (string | Piece)[]): void {
    this.write(this.stderr, pieces);
  }

  /** Shows the progress, only on a terminal. An empty text removes the line. */
  progress(text: string): void {
    if (!this.isTerminal || text === this.status) return;
    this.status = printable(text);
    this.stdout.write(`${CLEAR_LINE}${this.status}`);
  }

  private write(stream: Output, pieces: readonly (string | Piece)[]): void {
    const text = pieces.map((piece) =>
      typeof piece === 'string' ? printable(piece) : this.painted(piece, stream),
    );
    if (this.status !== '') this.stdout.write(CLEAR_LINE);
    stream.write(`${text.join('')}\n`);
    if (this.status !== '') this.stdout.write(this.status);
  }

  private painted({ look, text }: Piece, stream: Output): string {
    const painted = styleText(look, printable(text), { validateStream: false });
    return stream.isTTY === true && !process.env['NO_COLOR'] ? painted : stripVTControlCharacters(painted);
  }
}

/** Removes the control characters, which a terminal would obey, from an outside text. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');
}
