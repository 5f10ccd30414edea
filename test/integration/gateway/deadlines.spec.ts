import { Agent } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CALL_ATTEMPT_CHANNEL,
  CALL_ATTEMPT_START_CHANNEL,
  type CallOptions,
  isPaymentsError,
  onPaymentsDiagnostics,
} from 'nestjs-payments';
import { atOnce, endedAfter } from '../../support/event-loop.js';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import { startMerchantApp, type MerchantApp } from '../../support/merchant-app.js';
import {
  drip,
  hang,
  reset,
  stall,
  startMisbehavingGateway,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';
import { accept, bare } from '../../support/working-gateway.js';

/** Enough to send a request on a machine that is busy with other things. */
const DEADLINE_MS = 2_000;
const CONNECTIONS = 50;

/** A TCP server that says nothing: a TLS handshake with it never ends. */
async function startSilentServer(): Promise<{ readonly baseUrl: string; readonly close: () => void }> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}

/** Resolves when the package has made sense of the next answer. */
function nextAttempt(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, () => {
      stop();
      resolve();
    });
  });
}

describe('the deadline of a call', () => {
  let gateway: MisbehavingGateway;
  let app: MerchantApp;

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    app = await startMerchantApp({ baseUrl: gateway.baseUrl, timeoutMs: 5_000 });
    // The first call pays for what is loaded once.
    gateway.answer(accept);
    await app.collections.mobileMoney({ ...collectionRequest, reference: 'first' });
    gateway.seen.length = 0;
  });
  afterEach(async () => {
    await gateway.close();
    await app.close();
  });

  /** Ends as `expected`, at the deadline and not before or long after it. */
  async function expectAtDeadline(
    call: (options: CallOptions) => Promise<unknown>,
    expected: Record<string, unknown>,
  ): Promise<void> {
    const startedAt = performance.now();
    const error: unknown = await endedAfter(DEADLINE_MS, () =>
      call({ deadlineMs: DEADLINE_MS }).catch((caught: unknown) => caught),
    );
    const endedAt = performance.now();
    expect(isPaymentsError(error)).toBe(true);
    expect(error).toMatchObject(expected);
    expect(endedAt - startedAt).toBeGreaterThan(DEADLINE_MS - 5);
  }

  const NOT_SENT = { name: 'GatewayUnreachableError', mayHaveBeenProcessed: false };
  const UNKNOWN = { name: 'PaymentOutcomeUnknownError', evidence: 'no-answer', mayHaveBeenProcessed: true };

  it.each<readonly [what: string, behaviour: Behaviour]>([
    ['headers that never come', hang],
    ['a body that stalls', stall],
    ['a body that drips', drip],
  ])('is kept over %s', async (_, behaviour) => {
    gateway.answer(behaviour);
    await expectAtDeadline((options) => app.collections.mobileMoney(collectionRequest, options), UNKNOWN);
    await expectAtDeadline((options) => app.disbursements.bank(bankRequest, options), UNKNOWN);
    expect(gateway.seen).toHaveLength(2);
  });

  it('is kept while a TLS handshake stalls, and nothing was sent', async () => {
    const silent = await startSilentServer();
    const secure = await startMerchantApp({ baseUrl: silent.baseUrl });
    // A long tick sets its timers too early: the first call pays for what is loaded once.
    await secure.banks.list({ deadlineMs: 20 }).catch(() => {});
    await expectAtDeadline((options) => secure.disbursements.bank(bankRequest, options), NOT_SENT).finally(
      () => {
        silent.close();
      },
    );
    await secure.close();
  });

  it('is kept while every connection is taken, and nothing was sent', async () => {
    gateway.answer(hang);
    const holders = Array.from({ length: CONNECTIONS }, () => {
      const controller = new AbortController();
      const held = app.banks.list({ signal: controller.signal, retry: false }).catch(() => {});
      return { controller, held };
    });
    await gateway.arrived(CONNECTIONS);
    await expectAtDeadline((options) => app.collections.mobileMoney(collectionRequest, options), NOT_SENT);
    holders.forEach(({ controller }) => {
      controller.abort();
    });
    await Promise.all(holders.map(({ held }) => held));
    gateway.answer(accept);
    await app.names.lookup({ channel: 'PARTNERPESA', account_number: '17' });
    expect(gateway.seen.filter(({ path }) => path.includes('/payments/'))).toHaveLength(0);
  });

  it('ends a call that waits for its turn to try again before the deadline, not at it', async () => {
    gateway.answer(bare(429, { 'retry-after': '30' }));
    const answered = nextAttempt();
    const call = app.collections.mobileMoney(collectionRequest, { deadlineMs: 29_000 });
    const failed = expect(call).rejects.toMatchObject({
      name: 'PaymentsRateLimitError',
      retryAfterMs: 30_000,
    });
    await answered;
    await atOnce(failed);
  });

  it('has passed for a machine that was suspended during the wait for another try, so nothing is sent', async () => {
    gateway.answer(bare(429, { 'retry-after': '0' }), accept);
    const resumed = Date.now() + 3_600_000;
    const stop = onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, () => {
      stop();
      vi.spyOn(Date, 'now').mockReturnValue(resumed);
    });
    try {
      await expect(app.collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
        name: 'GatewayUnreachableError',
      });
    } finally {
      vi.restoreAllMocks();
    }
    expect(gateway.seen).toHaveLength(1);
    // The gateway refused the only request, so the same call is made later with the same key.
    await app.collections.mobileMoney(collectionRequest);
    expect(new Set(gateway.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it.each([
    ["the package's own connections", CONNECTIONS, {}],
    ['an agent of the application', 1, { httpAgent: new Agent({ keepAlive: true, maxSockets: 1 }) }],
  ])(
    'has passed for a machine that was suspended while the request waited for one of %s, so nothing is sent',
    async (_, connections, http) => {
      const merchant = await startMerchantApp({ baseUrl: gateway.baseUrl, http, timeoutMs: 20_000 });
      const held: (() => void)[] = [];
      gateway.answer((...to) => {
        held.push(() => {
          accept(...to);
        });
      });
      const name = { channel: 'PARTNERPESA', account_number: '17' } as const;
      const lookups = Array.from({ length: connections }, () => merchant.names.lookup(name));
      await gateway.arrived(connections);
      const begun = new Promise<void>((resolve) => {
        const stop = onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, () => {
          stop();
          resolve();
        });
      });
      const paid = merchant.disbursements
        .bank(bankRequest, { retry: false })
        .catch((error: unknown) => error);
      // Behind the lookups.
      await begun;
      await setImmediate();
      const resumed = Date.now() + 3_600_000;
      vi.spyOn(Date, 'now').mockReturnValue(resumed);
      try {
        gateway.answer(accept);
        for (const answer of held) answer();
        expect(await paid).toMatchObject({ ...NOT_SENT, attempts: [{ code: 'QUEUE_TIMEOUT' }] });
        await Promise.all(lookups);
      } finally {
        vi.restoreAllMocks();
        await merchant.close();
      }
      expect(gateway.seen.filter(({ path }) => path.endsWith('/bank'))).toEqual([]);
    },
  );

  it('leaves the connections free for others after each way to fail', async () => {
    for (const behaviour of [hang, stall, drip, reset]) {
      gateway.answer(behaviour);
      const calls = Array.from({ length: CONNECTIONS }, () =>
        app.banks.list({ timeoutMs: 100, retry: false }).catch(() => {}),
      );
      await Promise.all(calls);
    }
    gateway.answer(accept);
    const { lastResponse } = await app.collections.mobileMoney(collectionRequest);
    expect(lastResponse.attempts).toHaveLength(1);
  });
});

describe('a connection that was used before', () => {
  let gateway: MisbehavingGateway;
  let app: MerchantApp;

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    app = await startMerchantApp({ baseUrl: gateway.baseUrl, timeoutMs: 2_000 });
  });
  afterEach(async () => {
    await gateway.close();
    await app.close();
  });

  /** Makes calls until further ones need no further connection. */
  async function warmUp(): Promise<number> {
    gateway.answer(accept);
    for (const reference of ['one', 'two', 'three'])
      await app.collections.mobileMoney({
        ...collectionRequest,
        reference: `${reference}-${gateway.seen.length}`,
      });
    return gateway.connections();
  }

  it('is used again', async () => {
    const connections = await warmUp();
    await warmUp();
    expect(gateway.connections()).toBe(connections);
    expect(connections).toBeLessThan(3);
  });

  it('leaves a payment unknown when it breaks under it, and the payment is not sent on another', async () => {
    const connections = await warmUp();
    gateway.answer(reset, accept);
    await expect(app.disbursements.bank(bankRequest)).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'no-answer',
      attempts: [{ phase: 'ambiguous' }],
    });
    expect(gateway.connections()).toBe(connections);
    expect(gateway.seen.filter(({ path }) => path.endsWith('/bank'))).toHaveLength(1);
  });

  it('is left for a new one when the gateway has closed it in between', async () => {
    const closing: Behaviour = (response, socket, request) => {
      response.setHeader('connection', 'close');
      accept(response, socket, request);
    };
    gateway.answer(closing, accept);
    await app.collections.mobileMoney({ ...collectionRequest, reference: 'one' });
    const payment = await app.collections.mobileMoney({ ...collectionRequest, reference: 'two' });
    expect(payment.lastResponse.attempts).toHaveLength(1);
    expect(gateway.connections()).toBe(2);
  });
});
