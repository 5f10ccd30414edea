import { describe, expect, it } from '@jest/globals';
import { type ExecutionContext, HttpException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { validateSync } from 'class-validator';
import { lastValueFrom, Observable, throwError } from 'rxjs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PaymentsConfigError, PaymentsErrorInterceptor } from 'nestjs-payments';

/** Resolves as the package's own files do. */
const require = createRequire(join(import.meta.dirname, '..', '..', 'lib', 'index.ts'));
const here = join(import.meta.dirname, 'node_modules');
const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** The major version of an installed package. */
function major(name: string): number {
  const { version } = JSON.parse(readFileSync(join(here, name, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return Number.parseInt(version, 10);
}

describe('this run', () => {
  it('is one on Nest 11', () => {
    const packages = [
      'common',
      'core',
      'platform-express',
      'platform-fastify',
      'testing',
      'bullmq',
      'swagger',
      'terminus',
    ];
    expect(packages.map((name) => major(`@nestjs/${name}`))).toEqual(packages.map(() => 11));
    expect([major('@nestjs/axios'), major('@nestjs/config')]).toEqual([4, 4]);
  });

  it.each(Object.keys(dependencies))('lets the package find %s beside this file', (name) => {
    expect(require.resolve(name).startsWith(join(here, name))).toBe(true);
  });

  it('gives the package and its specs one copy', () => {
    expect((require('@nestjs/core') as { NestFactory: unknown }).NestFactory).toBe(NestFactory);
    expect((require('rxjs') as { Observable: unknown }).Observable).toBe(Observable);
    expect((require('class-validator') as { validateSync: unknown }).validateSync).toBe(validateSync);
  });

  it('throws the exceptions of that copy', async () => {
    const failing = { handle: () => throwError(() => new PaymentsConfigError('a wrong option')) };
    const answer = new PaymentsErrorInterceptor().intercept({} as ExecutionContext, failing);
    await expect(lastValueFrom(answer)).rejects.toBeInstanceOf(HttpException);
  });
});
