import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type BatchProgress } from 'nestjs-payments/batches';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { Pool } from 'pg';
import { type EventStream, listenTo } from '../../../test/support/event-stream.js';
import '../../../test/support/pglite-template.js';
import { type BatchView } from '../src/batches/batch-view.js';
import { createPayroll } from '../src/payroll.js';

export const HEAD = 'key,name,amount,bank_code,account_number,phone,remarks';

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** What the desk answers if it does not do what it is asked. */
export interface Refusal {
  readonly code?: string;
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** What a desk is told whose database is in a folder. */
export function deskEnvironment({ baseUrl }: PaymentsSandbox, folder: string): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: '',
    PAYROLL_FOLDER: join(folder, 'data'),
    PAYROLL_PEOPLE: 'asha:rice,omari:beans,neema:maize',
    PAYROLL_PER_SECOND: '1000',
    PAYROLL_ASK_AGAIN_HOURS: '24',
    PAYMENTS_BASE_URL: baseUrl,
    PAYMENTS_API_KEY: 'pk_test_demo',
    PAYMENTS_API_SECRET: 'sk_test_demo',
  };
}

/** The running application, which may be closed and started again on the same data. */
export class PayrollDesk {
  private app: NestExpressApplication | undefined;
  url = '';

  private constructor(
    readonly folder: string,
    private readonly sandbox: PaymentsSandbox,
    private readonly databaseUrl: string,
  ) {}

  /** @param databaseUrl Without it, the PostgreSQL is inside the application. */
  static async open(sandbox: PaymentsSandbox, databaseUrl = ''): Promise<PayrollDesk> {
    const folder = await mkdtemp(join(tmpdir(), 'payroll-'));
    const desk = new PayrollDesk(folder, sandbox, databaseUrl);
    await desk.start();
    return desk;
  }

  async start(environment: NodeJS.ProcessEnv = {}): Promise<void> {
    Object.assign(process.env, deskEnvironment(this.sandbox, this.folder), {
      DATABASE_URL: this.databaseUrl,
      ...environment,
    });
    this.app = await createPayroll({ logger: false, abortOnError: false });
    await this.app.listen(0, '127.0.0.1');
    this.url = await this.app.getUrl();
  }

  async stop(): Promise<void> {
    await this.app?.close();
    this.app = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Lets the journal be ten minutes older: the database's clock cannot be turned. */
  async pass(): Promise<void> {
    const ago = (column: string): string => `${column} = ${column} - interval '10 minutes'`;
    const columns = ['created_at', 'updated_at', 'attempt_at', 'lease_until'];
    await this.app!.get(Pool).query(`UPDATE payroll.payments_journal SET ${columns.map(ago).join(', ')}`);
  }

  signIn(name: string, password: string): Promise<DeskUser> {
    return DeskUser.signIn(this.url, name, password);
  }
}

/** A person at the desk, as the page acts for them. */
export class DeskUser {
  private constructor(
    private readonly url: string,
    private readonly cookie: string,
  ) {}

  static async signIn(url: string, name: string, password: string): Promise<DeskUser> {
    const answer = await fetch(`${url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password }),
    });
    if (!answer.ok) throw new Error(`Nobody signed in: ${answer.status}`);
    const [cookie = ''] = answer.headers.getSetCookie();
    return new DeskUser(url, cookie.split(';')[0]!);
  }

  /** Loads a file. */
  load(batch: string, csv: string | AsyncIterable<Uint8Array>, query = ''): Promise<Answer<BatchView>> {
    return this.send('POST', `batches/${batch}${query}`, csv, 'text/csv');
  }

  /** Posts JSON. */
  post<Body = BatchView>(path: string, body: object = {}): Promise<Answer<Body>> {
    return this.send('POST', path, JSON.stringify(body), 'application/json');
  }

  get<Body = BatchView>(path: string): Promise<Answer<Body>> {
    return this.send('GET', path);
  }

  async text(path: string): Promise<string> {
    return (await fetch(`${this.url}/${path}`, { headers: { cookie: this.cookie } })).text();
  }

  /** The stream of a batch's progress, as the page follows it. */
  follow(batch: string): Promise<EventStream> {
    return listenTo(`${this.url}/batches/${batch}/progress`, { cookie: this.cookie });
  }

  /** Follows a batch until it has this state. Returns all that was heard. */
  async until(
    batch: string,
    state: BatchProgress['state'],
    seen: (progress: BatchProgress) => Promise<void> = () => Promise.resolve(),
  ): Promise<readonly BatchProgress[]> {
    const stream = await this.follow(batch);
    const heard: BatchProgress[] = [];
    while (heard.at(-1)?.state !== state) {
      const progress = (await stream.until('progress')).at(-1)!.data as BatchProgress;
      await seen(progress);
      heard.push(progress);
    }
    stream.close();
    return heard;
  }

  async send<Body>(
    method: string,
    path: string,
    body?: string | AsyncIterable<Uint8Array>,
    type = '',
  ): Promise<Answer<Body>> {
    const answer = await fetch(`${this.url}/${path}`, {
      method,
      headers: { cookie: this.cookie, ...(type && { 'content-type': type }) },
      ...(typeof body === 'string' && { body }),
      ...(typeof body === 'object' && { body: ReadableStream.from(body), duplex: 'half' }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text ? JSON.parse(text) : {}) as Body };
  }
}
