import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { paymentEvent } from 'nestjs-payments/testing';
import { type FromStoppingApp, type StoppingAppSettings } from '../../programs/stopping-app.js';
import { buildChildProgram, type ChildProgram } from '../../support/child-program.js';
import { adapters, deliver } from '../../support/webhook-app.js';

/** The application in a process of its own. */
class StoppingApp {
  readonly said: string[] = [];
  readonly ended: Promise<unknown[]>;
  log = '';
  private readonly child: ChildProcess;

  constructor(file: string, settings: StoppingAppSettings) {
    this.child = fork(file, [JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.ended = once(this.child, 'exit');
    this.child.on('message', ({ what }: FromStoppingApp) => this.said.push(what));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    }
  }

  async until<What extends FromStoppingApp['what']>(
    what: What,
  ): Promise<Extract<FromStoppingApp, { what: What }>> {
    for (;;) {
      const [message] = (await Promise.race([
        once(this.child, 'message'),
        this.ended.then(() => Promise.reject(new Error(`It ended without '${what}':\n${this.log}`))),
      ])) as [FromStoppingApp];
      if (message.what === what) return message as Extract<FromStoppingApp, { what: What }>;
    }
  }

  stop(): void {
    this.child.kill('SIGTERM');
  }

  letHandlerFinish(): void {
    this.child.send('finish');
  }

  async end(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

let program: ChildProgram;

beforeAll(async () => {
  program = await buildChildProgram('test/programs/stopping-app.ts', { startsOften: true });
});
afterAll(() => program.remove());

describe.each(adapters)('SIGTERM on %s', (adapter) => {
  let child: StoppingApp;
  let agent: Agent;

  beforeEach(() => {
    agent = new Agent({ keepAlive: true });
  });
  afterEach(async () => {
    agent.destroy();
    await child.end();
  });

  async function start(handlerTimeoutMs: number): Promise<number> {
    child = new StoppingApp(program.file, { adapter, handlerTimeoutMs });
    return (await child.until('ready')).port;
  }

  it('lets the handler that runs finish and answers its delivery, and tells new ones to come again', async () => {
    const port = await start(25_000);
    // Two connections that stay open.
    await Promise.all([1, 2].map(() => deliver(port, paymentEvent('payment.failed'), { agent })));
    const began = child.until('began');
    const running = deliver(port, paymentEvent('payment.success'), { agent });
    await began;

    const stopping = child.until('stopping');
    child.stop();
    await stopping;
    for (const connection of [{ agent }, {}]) {
      const refused = await deliver(port, paymentEvent('payment.success'), connection);
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    }
    child.letHandlerFinish();
    expect((await running).status).toBe(200);
    expect(await child.ended).toEqual([null, 'SIGTERM']);
    expect(child.said).toEqual(['ready', 'began', 'stopping', 'finished', 'storage closed']);
  });

  it('waits for a handler no longer than it may take, and names it', async () => {
    const port = await start(300);
    const began = child.until('began');
    const running = deliver(port, paymentEvent('payment.success', { reference: 'order-1' }));
    await began;
    child.stop();
    expect((await running).status).toBe(503);
    expect(await child.ended).toEqual([null, 'SIGTERM']);
    expect(child.said).toEqual(['ready', 'began', 'stopping', 'storage closed']);
    expect(child.log).toContain(
      'Orders.paid for "payment.success" for the reference "order-1" still runs 300 ms after',
    );
  });
});
