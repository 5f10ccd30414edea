import { type LoggerService } from '@nestjs/common';
import { printable } from '../common/printable.js';
import { type Terminal } from './terminal.js';

/** A line that stays on the screen, above what changes there. */
type Say = (line: string) => void;

/** Prints warnings of Nest and of the package among the command's own lines. Error objects are caught and explained. */
export class LogLines implements LoggerService {
  /** Changed while a bar is on the screen. */
  say: Say;
  private shown = '';

  constructor(private readonly terminal: Terminal) {
    this.say = terminal.say;
  }

  log(): void {}

  warn(message: unknown): void {
    this.show(message);
  }

  error(message: unknown): void {
    this.show(message);
  }

  private show(message: unknown): void {
    // What is tried again and again says the same each time.
    if (typeof message !== 'string' || message === this.shown) return;
    this.shown = message;
    for (const line of message.split('\n')) this.say(this.terminal.paint('dim', printable(line)));
  }
}
