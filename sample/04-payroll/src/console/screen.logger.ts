import { type LoggerService } from '@nestjs/common';
import { type Screen } from './screen.js';

/**
 * Prints Nest's messages among the program's own lines. Skips error objects, which the program catches and
 * explains.
 */
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
