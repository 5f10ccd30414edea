import { Logger } from '@nestjs/common';

/** By context. There are few, and thousands of accounts that log. */
const loggers = new Map<string, Logger>();

/**
 * Writes through Nest's logger and never throws: the application's own logger must not decide what becomes of
 * a payment.
 */
export class SafeLogger {
  private readonly logger: Logger;

  constructor(context: string) {
    let logger = loggers.get(context);
    if (!logger) loggers.set(context, (logger = new Logger(context)));
    this.logger = logger;
  }

  log(message: string): void {
    this.write('log', message);
  }

  debug(message: string): void {
    this.write('debug', message);
  }

  warn(message: string): void {
    this.write('warn', message);
  }

  error(message: string): void {
    this.write('error', message);
  }

  private write(level: 'log' | 'debug' | 'warn' | 'error', message: string): void {
    try {
      this.logger[level](message);
    } catch {
      // Where the log fails there is nowhere left to say so.
    }
  }
}
