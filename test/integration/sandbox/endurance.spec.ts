import { describe, expect, it } from 'vitest';
import { Agent, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { BANK_PAYOUT, callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('the emulator under many calls', () => {
  it.each([
    ['POST', '/payments/mobile-money', COLLECTION, 'PAYMENT_INITIATED'],
    ['POST', '/payments/partnerpesa', COLLECTION, 'PAYMENT_INITIATED'],
    ['POST', '/disbursements/bank', BANK_PAYOUT, 'DISBURSEMENT_INITIATED'],
  ])('accepts one of a hundred parallel calls with one key: %s %s', async (_, path, body, code) => {
    const sandbox = await startSandbox({ clock: 'manual' });
    const gateway = callerOf(sandbox);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (__, index) =>
        // Half of them under another reference: the key alone must hold.
        gateway.post(path, { ...body, reference: `reference-${index % 2}` }, { key: 'one-key' }),
      ),
    );
    const codes = answers.map((answer) => answer.body['code']);
    expect(codes.filter((found) => found === code)).toHaveLength(1);
    expect(codes.filter((found) => found === 'DUPLICATE_REQUEST')).toHaveLength(99);
    expect(sandbox.payments().length + sandbox.payouts().length).toBe(1);
  });

  it('starts and stops two hundred times on one port without a handle left', async () => {
    const first = await PaymentsSandbox.start();
    const port = Number(new URL(first.url).port);
    await first.stop();
    const before = handles();
    let most = before;
    for (let turn = 0; turn < 200; turn += 1) {
      const sandbox = await PaymentsSandbox.start({ port });
      // A connection that nobody closed, and an expiry timer that is not due.
      if (turn % 10 === 0) {
        await call(sandbox, new Agent({ keepAlive: true }));
        await callerOf(sandbox).collect();
      }
      most = Math.max(most, handles());
      await sandbox.stop();
    }
    expect(most).toBeGreaterThan(before);
    // A closed handle is listed until the event loop has let it go.
    for (let turn = 0; turn < 1_000 && handles() > before; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(handles()).toBeLessThanOrEqual(before);
  });

  it('does not grow with ten thousand balance calls', async () => {
    const sandbox = await PaymentsSandbox.start();
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const run = async (calls: number): Promise<number> => {
      for (let done = 0; done < calls; done += 20) {
        await Promise.all(Array.from({ length: 20 }, () => call(sandbox, agent)));
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    // The journal of requests is full after some 4,000 calls.
    const warm = await run(6_000);
    const after = await run(10_000);
    agent.destroy();
    await sandbox.stop();
    // A kept request is some kilobytes: ten thousand of them would be tens of megabytes.
    expect(after - warm).toBeLessThan(4_000_000);
  }, 240_000);
});

/** What keeps a process alive: listening servers, connections and timers. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).length;
}

function call(sandbox: PaymentsSandbox, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { agent, headers: { authorization: 'Bearer pk_test_demo' } };
    request(`${sandbox.baseUrl}/merchant-balance`, options, (response) => {
      response.resume();
      response.on('end', () => {
        resolve();
      });
    })
      .on('error', reject)
      .end();
  });
}
