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
 * What an application has beside the snippets: `main.ts`, a webhook route, and pages that ask for money and pay an
 * invoice. It prints when the pool is told to end: an answer that comes at that moment may still be written, by chance.
 */
const MAIN = `
import { Controller, Get, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import { CollectionsService, DisbursementsService, PaymentsJournal } from 'nestjs-payments';
import { WebhooksController } from '${join(process.cwd(), 'test', 'support', 'webhooks.controller.js')}';
import { Pool } from 'pg';
import { AppModule } from './app.module.js';
import { InvoicesService } from './invoices.service.js';

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

  @Get('invoice')
  async payInvoice(): Promise<string> {
    return this.invoices().pay('invoice-1').then(({ status }) => status, ({ name }: Error) => name);
  }

  @Get('look')
  async look(): Promise<void> {
    await this.invoices().lookAfterRefused();
  }

  private invoices(): InvoicesService {
    const payouts = this.modules.get(DisbursementsService, { strict: false });
    const journal = this.modules.get(PaymentsJournal, { strict: false });
    return new InvoicesService(this.modules.get(Pool, { strict: false }), payouts, journal);
  }

  @Get('hold')
  async hold(): Promise<void> {
    const client = await this.modules.get(Pool, { strict: false }).connect();
    await client.query('BEGIN');
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
    for (const [page, shown, file] of [
      ['docs/storage.md', 'postgresStorage(', 'app.module.ts'],
      ['docs/transactions.md', 'enlistBank(', 'invoices.service.ts'],
    ] as const) {
      const snippet = [...snippetsOf(page).values()].find((code) => code.includes(shown));
      writeFileSync(join(folder, file), snippet ?? `${page} does not show ${shown}`);
    }
    writeFileSync(join(folder, 'main.ts'), MAIN);
  });
  beforeEach(async () => {
    await server.query(`CREATE DATABASE ${name}`);
    pool = new Pool({ connectionString: url.href, max: 2 });
    pool.on('error', () => undefined);
    await pool.query('CREATE TABLE orders (reference text, paid boolean)');
    await pool.query("INSERT INTO orders VALUES ('order-1', false)");
    await pool.query(
      `CREATE TABLE invoices (id text, state text, amount numeric(15, 2),
         bank_code text, account_number text, account_name text);
       INSERT INTO invoices VALUES ('invoice-1', 'approved', 10, 'BSB', '0123456789', 'Neema Mwita')`,
    );
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

  /** Ends the application's one connection that waits for a lock, or that nobody asks in its transaction. */
  async function cut(which: "wait_event_type = 'Lock'" | "state = 'idle in transaction'"): Promise<void> {
    const ending = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND ${which}`;
    await expect.poll(async () => (await server.query(ending, [name])).rowCount).toBe(1);
  }

  it('survives the end of a connection that a transaction of its own has, and names the first error', async () => {
    const address = await start(false);
    const invoice = async (): Promise<string> => (await fetch(`${address}/pay/invoice`)).text();
    const locking = await pool.connect();
    await locking.query('BEGIN; LOCK TABLE payments_journal IN ACCESS EXCLUSIVE MODE');
    const paid = invoice();
    await cut("wait_event_type = 'Lock'");
    await locking.query('ROLLBACK');
    locking.release();
    expect(await paid).toBe('PaymentsStorageError');
    expect((await pool.query('SELECT state FROM invoices')).rows).toEqual([{ state: 'approved' }]);

    await fetch(`${address}/pay/hold`);
    await cut("state = 'idle in transaction'");
    await application?.until('A database connection was lost: terminating connection');

    expect(await invoice()).toBe('processing');
    expect(await invoice()).toBe('ConflictException');
    expect(sandbox.requests()).toHaveLength(1);
    expect(application?.isRunning).toBe(true);
  });

  it('an invoice needs another approval after a final refusal, and any other refusal makes the same call again', async () => {
    const address = await start(false);
    const invoice = async (): Promise<string> => (await fetch(`${address}/pay/invoice`)).text();
    const look = async (): Promise<unknown> => {
      expect((await fetch(`${address}/pay/look`)).status).toBe(200);
      return (await pool.query<{ state: string }>('SELECT state FROM invoices')).rows[0]!.state;
    };
    sandbox.next('POST /disbursements/bank').status(422, { code: 'INVALID_ACCOUNT' });
    expect(await invoice()).toBe('PaymentRejectedError');
    expect(await look()).toBe('refused');
    expect(await invoice()).toBe('ConflictException');
    await pool.query("UPDATE invoices SET account_number = '9876543210', state = 'approved'");

    // A refusal after a 429 proves nothing of the try before it.
    sandbox.next('POST /disbursements/bank').status(429, { retryAfter: 1 });
    sandbox.next('POST /disbursements/bank').status(422, { code: 'INVALID_ACCOUNT' });
    expect(await invoice()).toBe('PaymentRejectedError');
    expect([await look(), await look()]).toEqual(['paying', 'paying']);
    expect(sandbox.payouts()[0]).toMatchObject({ reference: 'invoice-1', account_number: '9876543210' });
    expect(sandbox.payouts()).toHaveLength(1);
    expect(sandbox.requests()).toHaveLength(4);
  });
});
