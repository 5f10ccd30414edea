import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type INestApplicationContext, Module, type Type, ValidationPipe } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PaymentsModule, paymentsConfig } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { environmentOf } from '../../support/cli-process.js';
import { snippetsOf } from '../../support/document-pages.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { startSandbox } from '../../support/sandbox.js';
import { scheme } from '../../support/webhook-app.js';
import { describeWith, postgresService, redisService } from '../../support/services.js';

type Classes = Readonly<
  Record<string, Type<{ load(month: string, file: string, user: string): Promise<number> }>>
>;

/** Inside the repository, where the packages that the snippets import are found. */
const folder = join(import.meta.dirname, `.modules-${process.pid}`);

async function fileOf(page: string, name: string): Promise<Classes> {
  const code = [...snippetsOf(page).values()].find((text) => text.startsWith(`// ${name}\n`));
  const file = join(folder, name);
  writeFileSync(file, code!);
  return (await import(file)) as Classes;
}

describeWith([postgresService, redisService], 'with the .env that the emulator writes', () => {
  let sandbox: PaymentsSandbox;
  let database: PaymentsDatabase;
  let app: INestApplicationContext | undefined;

  beforeAll(async () => {
    mkdirSync(folder);
    sandbox = await startSandbox({ clock: 'manual' });
    database = await openPaymentsDatabase(postgresService.url);
    const url = new URL(postgresService.url);
    url.searchParams.set('options', database.options);
    const { REDIS_URL = redisService.url } = process.env;
    for (const [name, value] of Object.entries({
      ...environmentOf(sandbox),
      DATABASE_URL: url.href,
      REDIS_URL,
    }))
      vi.stubEnv(name, value);
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await sandbox.stop();
    await database.close();
    rmSync(folder, { recursive: true });
  });

  const boot = async (module: Type): Promise<INestApplicationContext> =>
    (app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false }));
  /** A module of a page that takes the pool from the `DatabaseModule` of docs/storage.md. */
  const besideTheDatabase = async (page: string, name: string, exported: string): Promise<Classes> => {
    const { DatabaseModule } = await fileOf('docs/storage.md', 'app.module.ts');
    const classes = await fileOf(page, name);

    @Module({ imports: [ConfigModule.forRoot({ isGlobal: true }), DatabaseModule!, classes[exported]!] })
    class AppModule {}

    await boot(AppModule);
    return classes;
  };

  it('the module of docs/batches.md boots, and checks the CSV of the page', async () => {
    const { Salaries } = await besideTheDatabase('docs/batches.md', 'payroll.module.ts', 'PayrollModule');
    const [, csv] = /```csv\n([\s\S]*?)```/.exec(readFileSync('docs/batches.md', 'utf8'))!;
    const file = join(folder, 'salaries.csv');
    writeFileSync(file, csv!);
    const salaries = app!.get(Salaries!);
    expect(await salaries.load('2026-11', file, 'maker')).toBe(2); // the emulator invents the holders
    sandbox.directory.register('0123456789', 'Asha Mushi');
    sandbox.directory.register('255712345678', 'Juma Ally');
    writeFileSync(file, csv!.replaceAll('S-', 'T-').replaceAll('.00', '.50')); // other payouts than those
    expect(await salaries.load('2026-12', file, 'maker')).toBe(0);
  });

  it('the module of docs/reconciliation.md boots', async () => {
    const { DailyClose } = await besideTheDatabase(
      'docs/reconciliation.md',
      'accounting.module.ts',
      'AccountingModule',
    );
    expect(app!.get(DailyClose!)).toBeInstanceOf(DailyClose);
  });

  it.each([
    [true, 202],
    [false, 400],
  ])(
    'the route of docs/collect.md needs a pipe that transforms: %s is answered %i',
    async (transform, status) => {
      const { CheckoutController } = await fileOf('docs/collect.md', 'checkout.controller.ts');

      @Module({
        imports: [
          PaymentsModule.forRootAsync({
            ...paymentsConfig.asProvider(),
            webhooks: { scheme, retentionDays: Infinity },
          }),
        ],
        controllers: [CheckoutController!],
      })
      class AppModule {}

      const shop = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
      app = shop;
      shop.useGlobalPipes(new ValidationPipe({ transform }));
      await shop.listen(0, '127.0.0.1');
      const body = new URLSearchParams({ phone: '0712345678' });
      const answer = await fetch(`${await shop.getUrl()}/orders/order-1/pay`, { method: 'POST', body });
      expect(answer.status).toBe(status);
    },
  );

  it.each(['app.module.ts', 'redis.module.ts'])(
    'the application of docs/storage.md boots: %s',
    async (name) => {
      const { AppModule } = await fileOf('docs/storage.md', name);
      await boot(AppModule!);
    },
  );
});
