import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hmac } from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';

const SCHEME = hmac({
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
});
const SECRET = 'a-signing-secret-of-the-merchant';

/** The options of the application: a lease is short, so that what a dead process began is soon taken over. */
export const SHOP_OPTIONS = {
  baseUrl: 'http://127.0.0.1:9/api/v1',
  apiKey: 'pk_test_shop',
  apiSecret: 'sk_test_shop',
  webhooks: {
    scheme: SCHEME,
    secrets: [SECRET],
    retentionDays: Infinity,
    leaseMs: 400,
    handlerTimeoutMs: 300,
    inFlightWaitMs: 100,
  },
};

/** Where a process can die on its way through a delivery. */
export const DEATH_POINTS = [
  'after the claim',
  'after the effect',
  'before the finish',
  'after the finish',
] as const;
export type DeathPoint = (typeof DEATH_POINTS)[number];

/** What the process of the application is told. */
export interface KilledShopSettings {
  /** Its file or its URL. */
  readonly database: string;
  /** Folder with a file for each death that has not happened: `order-1 after the effect`. */
  readonly deaths: string;
}

/** An application in a process of its own, which starts again whenever it is killed. */
export class KilledShop {
  readonly database: string;
  private readonly folder = mkdtempSync(join(tmpdir(), 'nestjs-payments-killed-shop-'));
  private readonly deaths = join(this.folder, 'deaths');
  private child: ChildProcess | undefined;
  private port: Promise<number> | undefined;

  /**
   * @param program That calls `runShop()` of `killed-shop-application.ts`.
   * @param database Its URL; a file of its own if it is left out.
   */
  constructor(
    private readonly program: string,
    database?: string,
  ) {
    this.database = database ?? join(this.folder, 'shop.db');
    mkdirSync(this.deaths);
  }

  /** Plans that the process dies at this point of the first delivery of a payment that comes there. */
  dieOnce(reference: string, point: DeathPoint): void {
    writeFileSync(join(this.deaths, `${reference} ${point}`), '');
  }

  /** The deaths that have not happened. */
  get deathsLeft(): readonly string[] {
    return readdirSync(this.deaths);
  }

  /** Delivers the success of a payment, again and again until it is answered 200, as the gateway does. */
  async deliver(reference: string): Promise<void> {
    const body = JSON.stringify(paymentEvent('payment.success', { reference, amount: '1000.00' }));
    const signature = signWebhook({ scheme: SCHEME, secret: SECRET, body });
    const headers = { 'content-type': 'application/json', ...signature };
    for (let status = 0; status !== 200;) {
      const url = `http://127.0.0.1:${await this.listening()}/webhooks/payments`;
      status = await fetch(url, { method: 'POST', headers, body }).then(
        (answer) => answer.status,
        () => 0, // the process died
      );
    }
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }

  /** Ends the process as a platform does. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  private listening(): Promise<number> {
    this.port ??= this.start();
    return this.port;
  }

  private async start(): Promise<number> {
    const settings: KilledShopSettings = { database: this.database, deaths: this.deaths };
    const child = fork(this.program, [JSON.stringify(settings)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.child = child;
    child.once('exit', () => {
      this.port = undefined;
    });
    const [port] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`The application ended by itself (${String(code)}).`);
      }),
    ])) as [number];
    return port;
  }
}
