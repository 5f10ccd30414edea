import { type LoggerService } from '@nestjs/common';
import { type Screen } from './screen.js';

/** Nest's warnings among the program's own lines. An error object is thrown as well, and the program explains it. */
export class ScreenLogger implements LoggerService {
  constructor(private readonly screen: Screen) {}

  log(): void {}

  warn(message: unknown): void {
    this.show('warning', message);
  }

  error(message: unknown): void {
    this.show('error', message);
  }

  fatal(message: unknown): void {
    this.show('error', message);
  }

  private show(level: string, message: unknown): void {
    if (typeof message === 'string') this.screen.problem({ look: 'dim', text: `${level}: ${message}` });
  }
}
