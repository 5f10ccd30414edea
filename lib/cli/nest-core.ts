import type * as NestCore from '@nestjs/core';
import { PaymentsConfigError } from '../errors/payments-errors.js';

/**
 * Loads Nest for a command that runs in it.
 *
 * @throws PaymentsConfigError if it is not installed.
 */
export async function nestCore(command: string): Promise<typeof NestCore> {
  try {
    return await import('@nestjs/core');
  } catch {
    throw new PaymentsConfigError(
      `${command} runs in Nest, and @nestjs/core is not installed here: npm install @nestjs/common @nestjs/core @nestjs/axios ` +
        '@nestjs/config axios class-transformer class-validator reflect-metadata rxjs.',
    );
  }
}
