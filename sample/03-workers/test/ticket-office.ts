import { execFile } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { type Job, Queue, QueueEvents } from 'bullmq';
import { type PaymentWebhookEvent } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { buildChildPrograms, type ChildPrograms } from '../../../test/support/child-program.js';
import { connectRedis, forget, ownPrefix } from '../../../test/support/redis.js';
import { freePort, ServerProcess } from '../../../test/support/server-process.js';
import { redisService } from '../../../test/support/services.js';
import { type OrderView } from '../src/orders/order.js';
import { type MailCall, MailService } from '../src/dev/mail-service.js';

const QUEUE = 'payments-webhooks';
export const PHONE = '255712345678';

/**
 * Builds the programs of the sample, each into one file.
 *
 * @throws if Redis does not answer.
 */
export async function buildPrograms(): Promise<ChildPrograms> {
  if (!redisService.reachable) throw new Error('The ticket office needs a Redis, and none answers.');
  const sources = ['web', 'worker', 'office'].map((name) => `sample/03-workers/src/${name}.ts`);
  return buildChildPrograms(sources, { startsOften: true });
}

/** A command's exit code and output. */
export interface CommandEnd {
  readonly code: number;
  readonly said: string;
}

/** The processes of one ticket office with its own gateway, mail service and Redis prefix. */
export class TicketOffice {
  readonly calls: MailCall[] = [];
  /** The current web process. */
  web!: ServerProcess;
  mails!: MailService;
  private url = '';
  private readonly prefix = ownPrefix();
  private queue!: Queue;
  private events!: QueueEvents;
  private readonly workers: ServerProcess[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly programs: ChildPrograms,
    readonly gateway: PaymentsSandbox,
  ) {}

  static async open(programs: ChildPrograms): Promise<TicketOffice> {
    return new TicketOffice(programs, await PaymentsSandbox.start({ clock: 'manual', seed: 1 }));
  }

  /** Begins a test: nobody has ordered, no worker runs, and the web process is the one of the test before. */
  async begin(): Promise<void> {
    this.mails = await MailService.start(0, (call) => {
      this.calls.push(call);
      for (const check of this.waiting) check();
    });
    const place = { connection: { url: redisService.url }, prefix: `${this.prefix}queue` };
    this.queue = new Queue(QUEUE, place);
    this.events = new QueueEvents(QUEUE, place);
    await this.events.waitUntilReady();
    // A test that fails may have ended it.
    if (!(this.web as ServerProcess | undefined)?.isRunning) await this.startWeb();
  }

  /** Ends a test: all that it left in processes, Redis and gateway is gone. */
  async finish(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.end('SIGKILL')));
    await Promise.all([this.events.close(), this.queue.close(), this.mails.stop(), this.gateway.reset()]);
    this.calls.length = 0;
    this.waiting.clear();
    const redis = connectRedis();
    await forget(redis, this.prefix);
    await redis.quit();
  }

  async close(): Promise<void> {
    await (this.web as ServerProcess | undefined)?.end('SIGKILL');
    await this.gateway.stop();
  }

  async startWeb(): Promise<void> {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    this.web = await this.start('web', 'Tickets are sold at', { PORT: String(port) });
    this.gateway.deliverTo(`${this.url}/webhooks/payments`);
  }

  async startWorker(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const places = { MAIL_URL: this.mails.url, ...environment };
    const worker = await this.start('worker', 'Waiting for webhooks', places);
    this.workers.push(worker);
    return worker;
  }

  /** Runs `npm run office -- …`. */
  command(...args: string[]): Promise<CommandEnd> {
    return new Promise((resolve) => {
      const options = { env: this.environment() };
      execFile(
        process.execPath,
        [this.programs.fileOf('office'), ...args],
        options,
        (error, out, complaint) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: out + complaint });
        },
      );
    });
  }

  async order(change: Readonly<Record<string, unknown>> = {}): Promise<OrderView> {
    const buyer = { seats: 2, phone: '0712 345 678', name: 'Asha Mrema', email: 'asha@example.com' };
    const answer = await fetch(`${this.url}/orders`, {
      method: 'POST',
      // A connection that stays open would hold up the end of the process.
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ checkout: randomUUID(), ...buyer, ...change }),
    });
    return (await answer.json()) as OrderView;
  }

  /** An order as anybody with its reference sees it. */
  async view({ reference }: Pick<OrderView, 'reference'>): Promise<OrderView> {
    return (await (await fetch(`${this.url}/orders/${reference}`)).json()) as OrderView;
  }

  async statusOf(order: Pick<OrderView, 'reference'>): Promise<string> {
    return (await this.view(order)).status;
  }

  /** Delivers an outcome that the gateway signed. */
  async deliver(event: PaymentWebhookEvent): Promise<void> {
    const body = JSON.stringify(event);
    const signature = createHmac('sha256', this.gateway.webhookSecret).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-webhook-signature': signature,
      connection: 'close',
    };
    await fetch(`${this.url}/webhooks/payments`, { method: 'POST', headers, body });
  }

  /** Orders, and approves on the phone; the webhook is stored then. */
  async paidOrder(): Promise<OrderView> {
    const order = await this.order();
    await this.gateway.customer(PHONE).approve(order.reference);
    return order;
  }

  /** Resolves once the mail service was called that often. */
  called(times: number): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.calls.length < times) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
      check();
    });
  }

  /** From now on, the mail service sends mails but answers only after the returned function was called. */
  holdAnswers(): () => void {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    this.mails.beforeAnswer = () => gate;
    return release;
  }

  /** Resolves to the jobs of the next so many events of this kind. */
  next(event: 'completed' | 'delayed' | 'failed', times = 1): Promise<readonly Job[]> {
    return new Promise((resolve) => {
      const jobs: Promise<Job>[] = [];
      const listener = ({ jobId }: { readonly jobId: string }): void => {
        jobs.push(this.queue.getJob(jobId) as Promise<Job>);
        if (jobs.length < times) return;
        this.events.off(event, listener);
        resolve(Promise.all(jobs));
      };
      this.events.on(event, listener);
    });
  }

  counts(): Promise<Readonly<Record<string, number>>> {
    return this.queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed');
  }

  private start(
    program: 'web' | 'worker',
    ready: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ServerProcess> {
    const env = { ...this.environment(), ...environment };
    const command = [process.execPath, this.programs.fileOf(program)];
    return ServerProcess.start(command, ready, { env });
  }

  private environment(): Record<string, string> {
    return {
      PAYMENTS_BASE_URL: this.gateway.baseUrl,
      PAYMENTS_API_KEY: 'pk_test_demo',
      PAYMENTS_API_SECRET: 'sk_test_demo',
      PAYMENTS_WEBHOOK_SECRET: this.gateway.webhookSecret,
      REDIS_URL: redisService.url,
      REDIS_PREFIX: this.prefix,
      NO_COLOR: '1',
      // A busy machine must not end a handler that a test holds.
      TAKE_OVER_AFTER_MS: '120000',
    };
  }
}
