import { describe, expect, it } from 'vitest';
import { type ExecutionContext, HttpException } from '@nestjs/common';
import { lastValueFrom, throwError } from 'rxjs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PaymentsConfigError, PaymentsErrorInterceptor } from 'nestjs-payments';
import { importPackage } from '../support/import-package.js';

const here = join(import.meta.dirname, 'node_modules');
/** Loads as Nest itself does. */
const requireOfNest = createRequire(join(here, '@nestjs', 'core', 'index.js'));
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

  it.each(Object.keys(dependencies))('gives Nest, the package and its specs one copy of %s', async (name) => {
    expect(requireOfNest.resolve(name).startsWith(join(here, name))).toBe(true);
    const ofNest = requireOfNest(name) as Readonly<Record<string, unknown>>;
    const ofPackage = await importPackage(name);
    for (const [member, value] of Object.entries(ofNest)) {
      if (typeof value === 'function') expect(ofPackage[member]).toBe(value);
    }
  });

  it('throws the exceptions of that copy', async () => {
    const failing = { handle: () => throwError(() => new PaymentsConfigError('a wrong option')) };
    const answer = new PaymentsErrorInterceptor().intercept({} as ExecutionContext, failing);
    await expect(lastValueFrom(answer)).rejects.toBeInstanceOf(HttpException);
  });
});
