import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { buildChildProgram, type ChildProgram } from '../../../support/child-program.js';
import { deliverEvent } from '../../../support/deliver-event.js';
import { snippetsOf } from '../../../support/document-pages.js';
import { startSandbox } from '../../../support/sandbox.js';
import { ServerProcess } from '../../../support/server-process.js';
import { describeWith, postgresService } from '../../../support/services.js';

const CACHES = join(process.cwd(), 'node_modules', '.cache');

/**
 * What an application has beside the snippet: `main.ts`, a webhook route and a page that asks for money. It prints when
 * the pool is told to end: an answer that comes at that moment may still be written, by chance.
 */
const MAIN = `
import { Controller, Get, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import { CollectionsService } from 'nestjs-payments';
import { WebhooksController } from '${join(process.cwd(), 'test', 'support', 'webhooks.controller.js')}';
import { Pool } from 'pg';
import { AppModule } from './app.module.js';

const end = Pool.prototype.end as () => Promise<void>;
Pool.prototype.end = function (this: Pool): Promise<void> {
  console.log('pool ends');
  return end.call(this);
};

@Controller('pay')
class PayController {
  constructor(private readonly modules: ModuleRef) {}

  @Get()
  pay(): void {
    const customer = { phone: '255712345678', customer_name: 'Asha Mushi', customer_email: 'asha@example.com' };
    const collections = this.modules.get(CollectionsService, { strict: false });
    const paid = collections.mobileMoney({ reference: 'order-2', amount: '10.00', ...customer });
    void paid.finally(() => {
      console.log('payment over');
    });
  }
}

@Module({ imports: [AppModule], controllers: [WebhooksController, PayController] })
class MainModule implements OnApplicationShutdown {
  onApplicationShutdown(): void {
    console.log('shutting down');
  }
}

void (async () => {
  const app = await NestFactory.create(MainModule, { logger: ['warn', 'error'] });
  app.enableShutdownHooks();
  await app.listen(0, '127.0.0.1');
  console.log('ready at ' + (await app.getUrl()));
})();
`;

describeWith([postgresService], 'the application of docs/storage.md on PostgreSQL', () => {
  const name = `documented_${process.pid}_${Date.now()}`;
  const url = new URL(postgresService.url);
  url.pathname = `/${name}`;
  let server: Pool;
  let pool: Pool;
  let folder: string;
  let sandbox: PaymentsSandbox;
  let program: ChildProgram | undefined;
  let application: ServerProcess | undefined;

  beforeAll(() => {
    server = new Pool({ connectionString: postgresService.url, max: 1 });
    mkdirSync(CACHES, { recursive: true });
    folder = mkdtempSync(join(CACHES, 'documented-application-'));
    const snippet = [...snippetsOf('docs/storage.md').values()].find((code) =>
      code.includes('postgresStorage('),
    );
    writeFileSync(join(folder, 'app.module.ts'), snippet ?? 'docs/storage.md shows no postgresStorage()');
    writeFileSync(join(folder, 'main.ts'), MAIN);
  });
  beforeEach(async () => {
    await server.query(`CREATE DATABASE ${name}`);
    pool = new Pool({ connectionString: url.href, max: 2 });
    pool.on('error', () => undefined);
    await pool.query('CREATE TABLE orders (reference text, paid boolean)');
    await pool.query("INSERT INTO orders VALUES ('order-1', false)");
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  });
  afterEach(async () => {
    await application?.end('SIGKILL');
    await program?.remove();
    await pool.end();
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
  afterAll(async () => {
    await server.end();
    rmSync(folder, { recursive: true });
  });

  /** Everything that the application knows of its surroundings is in `.env`. */
  async function start(commonJs: boolean): Promise<string> {
    const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
    const lines = [
      `DATABASE_URL=${url.href}`,
      `PAYMENTS_BASE_URL=${baseUrl}`,
      `PAYMENTS_API_KEY=${apiKey}`,
      `PAYMENTS_API_SECRET=${apiSecret}`,
      `PAYMENTS_WEBHOOK_SECRET=${sandbox.webhookSecret}`,
    ];
    writeFileSync(join(folder, '.env'), lines.join('\n'));
    program = await buildChildProgram(join(folder, 'main.ts'), { commonJs });
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([variable]) => !/^(PAYMENTS_|PG|DATABASE_URL)/.test(variable)),
    );
    application = await ServerProcess.start([process.execPath, program.file], 'ready at', {
      cwd: folder,
      env,
    });
    return /ready at (\S+)/.exec(application.log)?.[1] ?? '';
  }

  it.each([
    ['an ES module', false],
    ['a CommonJS module', true],
  ])(
    'boots with .env as %s, handles a webhook once, and writes its last payment down before the pool ends',
    async (_kind, commonJs) => {
      const address = await start(commonJs);
      const webhookUrl = `${address}/webhooks/payments`;
      expect(await deliverEvent({ webhookUrl }, sandbox, 'order-1')).toBe(200);
      expect(await deliverEvent({ webhookUrl }, sandbox, 'order-1')).toBe(200);
      expect((await pool.query<object>('SELECT * FROM orders')).rows).toEqual([
        { reference: 'order-1', paid: true },
      ]);

      sandbox.next('POST /payments/mobile-money').delay('1h');
      await fetch(`${address}/pay`);
      await expect.poll(() => sandbox.requests()).toHaveLength(1);
      application?.signal('SIGTERM');
      await application?.until('shutting down');
      await sandbox.clock.advance('1h');
      await application?.finished();
      const order = application?.log.match(/payment over|pool ends/g);
      expect(order).toEqual(['payment over', 'pool ends']);
      const { rows } = await pool.query<object>('SELECT reference, state FROM payments_journal');
      expect(rows).toEqual([{ reference: 'order-2', state: 'accepted' }]);
      expect(application?.log).not.toContain('ERROR');
    },
  );
});
