import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Inject, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { build } from 'esbuild';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type * as NestjsPayments from 'nestjs-payments';
import { isPaymentsError, PaymentsConfigError, PaymentsModule } from 'nestjs-payments';

const options = {
  baseUrl: 'http://127.0.0.1:1/api/v1',
  apiKey: 'pk_test_4f9a2c7e1b',
  apiSecret: 'sk_test_4f9a2c7e1b',
};

describe('a second copy of the package in one process', () => {
  // Registered before the second copy is loaded, as a module that is imported early does.
  const registration = PaymentsModule.forRoot(options);
  let folder: string;
  let copy: typeof NestjsPayments;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(process.cwd(), 'node_modules', '.second copy-')));
    const outfile = join(folder, 'index.mjs');
    await build({
      entryPoints: ['lib/index.ts'],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      logLevel: 'error',
    });
    copy = (await import(outfile)) as typeof NestjsPayments;
  });
  afterAll(async () => {
    // The copies of a process are entered here; the next specs run in this one.
    const copies = (globalThis as unknown as Record<symbol, Set<string>>)[
      Symbol.for('nestjs-payments.copies')
    ];
    copies?.delete(join(folder, 'index.mjs'));
    await rm(folder, { recursive: true, force: true });
  });

  it('stops the boot, and names both places and the remedy', async () => {
    @Injectable()
    class Shop {
      constructor(@Inject(copy.WalletService) readonly wallet: unknown) {}
    }
    const boot = Test.createTestingModule({ imports: [registration], providers: [Shop] }).compile();

    const error: unknown = await boot.catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(PaymentsConfigError);
    const { message } = error as Error;
    expect(message).toContain('was loaded 2 times');
    expect(message).toContain(folder);
    expect(message).toContain(join(process.cwd(), 'lib'));
    expect(message).toContain('npm dedupe');
  });

  it('stops whichever of the two is registered next', () => {
    expect(() => PaymentsModule.forRoot(options)).toThrow(PaymentsConfigError);
    expect(() => copy.PaymentsModule.forRoot(options)).toThrow(copy.PaymentsConfigError);
  });

  it('makes errors that the other copy knows', () => {
    const error = new copy.PaymentsConfigError('of the other copy');
    expect(error).not.toBeInstanceOf(PaymentsConfigError);
    expect(isPaymentsError(error)).toBe(true);
    expect(copy.isPaymentsError(new PaymentsConfigError('of this copy'))).toBe(true);
  });
});
