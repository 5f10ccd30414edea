import { setMaxListeners } from 'node:events';
import { Agent } from 'node:http';
import { type AxiosAdapter } from 'axios';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsModuleOptions, type PaymentsError } from 'nestjs-payments';
import { endedAfter } from '../../support/event-loop.js';
import {
  bankRecord,
  bankRequest,
  collectionRecord,
  collectionRequest,
  envelope,
} from '../../support/gateway-answers.js';
import { startMerchant, WAYS, type Merchant } from '../../support/merchant.js';
import {
  drip,
  hang,
  json,
  reset,
  stall,
  startMisbehavingGateway,
  text,
  truncate,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

/** The error that a call rejects with. */
async function failure(call: Promise<unknown>): Promise<PaymentsError> {
  return call.then(
    () => {
      throw new Error('the call succeeded');
    },
    (error: unknown) => error as PaymentsError,
  );
}

/** Ends a try whose answer never comes. On a busy machine it takes long to send one. */
const SHORT = { timeoutMs: 2_000 };
const REFUSAL = JSON.stringify({ status: 'error', code: 'INVALID_ACCOUNT', message: 'No' });
const HEAD = 'HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n';

/** A refusal whose body ends with its connection. */
const endless =
  (end: (socket: Socket) => unknown): Behaviour =>
  (_response, socket) => {
    socket.write(`${HEAD}\r\n${REFUSAL}`, () => setImmediate(() => end(socket)));
  };

/** A refusal in one chunk, after which others may come. */
const inChunks =
  (end: (socket: Socket) => unknown): Behaviour =>
  (_response, socket) => {
    const chunk = `${REFUSAL.length.toString(16)}\r\n${REFUSAL}\r\n`;
    socket.write(`${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`, () =>
      setImmediate(() => end(socket)),
    );
  };

const CUT_OFF: [what: string, behaviour: Behaviour][] = [
  ['a refusal that ends with its connection', endless((socket) => socket.end())],
  ['a refusal that breaks off with its connection', endless((socket) => socket.resetAndDestroy())],
];

/** A TCP server that says nothing, as a machine whose TLS hangs. */
async function startSilentServer(): Promise<{ readonly port: number; readonly close: () => void }> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}

describe.each(WAYS)('a connection that breaks, %s', (way) => {
  let gateway: MisbehavingGateway;
  let merchants: Merchant[] = [];

  async function merchant(options: Partial<PaymentsModuleOptions> = {}): Promise<Merchant> {
    const started = await startMerchant({ baseUrl: gateway.baseUrl, timeoutMs: 10_000, ...options }, way);
    merchants.push(started);
    return started;
  }

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
  });

  afterEach(async () => {
    await gateway.close();
    await Promise.all(merchants.map((each) => each.close()));
    merchants = [];
  });

  const ambiguous: [what: string, behaviour: Behaviour, code: RegExp][] = [
    ['silence after the request', hang, /^TIMEOUT$/],
    ['a reset after the request', reset, /^(ECONNRESET|UND_ERR_SOCKET)$/],
    ['half a body and then silence', stall, /^TIMEOUT$/],
    ['half a body and then the end', truncate, /^UND_ERR_SOCKET$/],
    ['a body that drips forever', drip, /^TIMEOUT$/],
  ];

  for (const [what, behaviour, code] of ambiguous) {
    const limits = code.test('TIMEOUT') ? SHORT : {};

    it(`${what} leaves a payment unknown, and it is sent once`, async () => {
      const { banks, collections, disbursements } = await merchant(limits);
      // The first call pays for what is loaded once.
      gateway.answer(json(envelope([])));
      await banks.list({ timeoutMs: 10_000 });
      gateway.seen.length = 0;
      gateway.answer(behaviour);
      const failures = [collections.mobileMoney(collectionRequest), disbursements.bank(bankRequest)].map(
        failure,
      );
      for (const error of await Promise.all(failures)) {
        expect(error).toMatchObject({
          name: 'PaymentOutcomeUnknownError',
          evidence: 'no-answer',
          mayHaveBeenProcessed: true,
          retryable: false,
          attempts: [{ number: 1, phase: 'ambiguous', code: expect.stringMatching(code) as unknown }],
        });
      }
      await gateway.arrived(2);
      expect(gateway.seen).toHaveLength(2);
    });

    it(`${what} is tried again by a call that only reads`, async () => {
      gateway.answer(behaviour, json(envelope([])));
      const { banks } = await merchant(limits);
      const listed = await banks.list();
      expect(listed.lastResponse.attempts.map(({ phase }) => phase)).toEqual(['ambiguous', 'answered']);
    });
  }

  it.each(CUT_OFF)('%s proves no refusal of a payment', async (_, behaviour) => {
    gateway.answer(behaviour);
    const { collections, disbursements } = await merchant();
    for (const call of [disbursements.bank(bankRequest), collections.mobileMoney(collectionRequest)]) {
      expect(await failure(call)).toMatchObject({
        ...{ name: 'PaymentOutcomeUnknownError', evidence: 'bad-answer', mayHaveBeenProcessed: true },
      });
    }
    await failure(disbursements.bank(bankRequest));
    expect(gateway.seen).toHaveLength(2);
  });

  it.each(CUT_OFF)('%s refuses a call that only reads', async (_, behaviour) => {
    gateway.answer(behaviour);
    const { wallet } = await merchant();
    expect(await failure(wallet.balance())).toMatchObject({ name: 'PaymentRejectedError' });
  });

  it('a body in chunks that breaks off is no answer, although its connection was to be closed', async () => {
    gateway.answer(
      inChunks((socket) => socket.resetAndDestroy()),
      inChunks((socket) => socket.end()),
    );
    const { collections, disbursements } = await merchant();
    for (const call of [disbursements.bank(bankRequest), collections.mobileMoney(collectionRequest)]) {
      expect(await failure(call)).toMatchObject({ evidence: 'no-answer' });
    }
  });

  it('gives a read up after its tries, saying that nothing was changed', async () => {
    gateway.answer(hang);
    const { wallet } = await merchant({ timeoutMs: 500 });
    const error = await failure(wallet.balance());
    expect(error).toMatchObject({ name: 'GatewayAnswerError', code: 'NO_ANSWER', retryable: true });
    expect(error.attempts).toHaveLength(3);
    expect(error.hint).toContain('Nothing was changed');
  });

  it('tries once when the call says so', async () => {
    gateway.answer(text('', 500));
    const { wallet } = await merchant();
    const error = await failure(wallet.balance({ retry: false }));
    expect(error.attempts).toHaveLength(1);
    expect(gateway.seen).toHaveLength(1);
  });

  it('knows that nothing was sent if no server listens, and says where to look', async () => {
    const silent = await startSilentServer();
    silent.close();
    const { collections } = await merchant({ baseUrl: `http://127.0.0.1:${silent.port}/api/v1` });
    const error = await failure(collections.mobileMoney(collectionRequest));
    expect(error).toMatchObject({
      name: 'GatewayUnreachableError',
      mayHaveBeenProcessed: false,
      retryable: true,
      reference: 'order-1',
      operation: 'collection.mobile-money',
    });
    expect(error.attempts?.map(({ phase, code }) => [phase, code])).toEqual([
      ['not-sent', 'ECONNREFUSED'],
      ['not-sent', 'ECONNREFUSED'],
      ['not-sent', 'ECONNREFUSED'],
    ]);
    expect(error.hint).toContain('Nothing listens at baseUrl');
  });

  it('knows that nothing was sent when the TLS handshake hangs', async () => {
    const silent = await startSilentServer();
    const { disbursements } = await merchant({
      baseUrl: `https://127.0.0.1:${silent.port}/api/v1`,
      ...SHORT,
    });
    const error = await failure(disbursements.bank(bankRequest, { retry: false }));
    silent.close();
    expect(error).toMatchObject({
      name: 'GatewayUnreachableError',
      attempts: [{ phase: 'not-sent', code: expect.stringMatching(/TIMEOUT/) as unknown }],
    });
  });

  it('knows that nothing was sent when every connection is taken, and never sends it afterwards', async () => {
    gateway.answer(hang);
    const { banks, collections } = await merchant({ timeoutMs: 30_000 });
    const controller = new AbortController();
    const { signal } = controller;
    setMaxListeners(50, signal);
    const holding = Array.from({ length: 50 }, () => failure(banks.list({ signal, retry: false })));
    await gateway.arrived(50);
    const error = await failure(collections.mobileMoney(collectionRequest, { timeoutMs: 50, retry: false }));
    expect(error).toMatchObject({
      name: 'GatewayUnreachableError',
      attempts: [{ phase: 'not-sent', code: 'TIMEOUT' }],
    });
    controller.abort();
    await Promise.all(holding);
    gateway.answer(json(envelope([])));
    await banks.list();
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(0);
  });

  it('sends the same key and the same bytes again after an attempt that was not sent', async () => {
    gateway.answer(json(envelope(collectionRecord)));
    const { collections, http } = await merchant();
    const sent: unknown[] = [];
    http.axiosRef.interceptors.request.use((config) => {
      sent.push([config.headers.get('Idempotency-Key'), config.data]);
      if (sent.length === 1) throw new Error('no token yet');
      return config;
    });
    const payment = await collections.mobileMoney(collectionRequest);
    expect(payment.lastResponse.attempts.map(({ phase }) => phase)).toEqual(['not-sent', 'answered']);
    expect(sent[1]).toEqual(sent[0]);
    expect(gateway.seen).toHaveLength(1);
  });

  it('keeps the deadline of a call, all tries included', async () => {
    gateway.answer(drip);
    const { banks } = await merchant();
    const error = await endedAfter(1_000, () => failure(banks.list({ deadlineMs: 1_000 })));
    expect(error).toMatchObject({ code: 'NO_ANSWER', attempts: [{ code: 'TIMEOUT' }] });
  });

  it.each(CUT_OFF)('leaves a payout unknown over fetch after %s', async (_, behaviour) => {
    gateway.answer(behaviour);
    const { disbursements } = await merchant({ http: { adapter: 'fetch' } });
    await expect(disbursements.bank(bankRequest)).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
    });
    expect(gateway.seen).toHaveLength(1);
  });

  it.each<[what: string, headers: Record<string, string>, name: string]>([
    ['shows no headers', {}, 'PaymentRejectedError'],
    ['says that the connection ended the body', { Connection: 'close' }, 'PaymentOutcomeUnknownError'],
    [
      'shows the length of the body',
      { Connection: 'close', 'Content-Length': String(REFUSAL.length) },
      'PaymentRejectedError',
    ],
    [
      'shows that the body came in chunks',
      { connection: 'close', 'transfer-encoding': 'chunked' },
      'PaymentRejectedError',
    ],
  ])('takes a refusal as final or not if an adapter of the application %s', async (_, headers, name) => {
    const adapter: AxiosAdapter = (config) =>
      Promise.resolve({ status: 400, statusText: '', headers, data: REFUSAL, config });
    const { disbursements } = await merchant({ http: { adapter } });
    await expect(disbursements.bank(bankRequest)).rejects.toMatchObject({ name });
  });

  it('counts every failure as sent when the application brings its own adapter', async () => {
    const { collections } = await merchant({
      http: { adapter: () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })) },
    });
    await expect(collections.mobileMoney(collectionRequest)).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'no-answer',
      attempts: [{ phase: 'ambiguous', code: 'ECONNREFUSED' }],
    });
  });

  it('gives up in time when an adapter never comes back', async () => {
    const { collections } = await merchant({ http: { adapter: () => new Promise(() => {}) }, ...SHORT });
    await expect(collections.mobileMoney(collectionRequest)).rejects.toMatchObject({ evidence: 'no-answer' });
  });

  it('gives a connection up after the time of an attempt, also when the call has more', async () => {
    const silent = await startSilentServer();
    const { banks } = await merchant({
      baseUrl: `https://127.0.0.1:${silent.port}/api/v1`,
      timeoutMs: 400,
    });
    const error = await failure(banks.list({ timeoutMs: 8_000, retry: false }));
    silent.close();
    expect(error.attempts).toMatchObject([{ phase: 'not-sent', code: 'UND_ERR_CONNECT_TIMEOUT' }]);
  });

  it('reads no answer that is larger than any of the gateway', async () => {
    gateway.answer(json(envelope(['x'.repeat(3 * 1024 * 1024)])));
    const { banks } = await merchant();
    await expect(banks.list({ retry: false })).rejects.toMatchObject({ code: 'NO_ANSWER' });
  });
});

describe("an application's own agent", () => {
  let gateway: MisbehavingGateway;
  let merchant: Merchant;
  const httpAgent = new Agent({ keepAlive: false });

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    merchant = await startMerchant({
      baseUrl: gateway.baseUrl,
      timeoutMs: 10_000,
      http: { httpAgent, transformResponse: [() => 'spoilt'], validateStatus: () => false },
    });
  });

  afterEach(async () => {
    await gateway.close();
    await merchant.close();
  });

  it('the agent is used, and options that money safety needs override the others', async () => {
    gateway.answer(json(envelope([])));
    await expect(merchant.banks.list()).resolves.toEqual([]);
    gateway.answer(json({ status: 'error', code: 'INVALID_BANK', message: 'No' }, 400));
    await expect(merchant.disbursements.bank(bankRequest)).rejects.toMatchObject({ code: 'INVALID_BANK' });
  });

  it.each(CUT_OFF)('takes %s for no proof either', async (_, behaviour) => {
    gateway.answer(behaviour);
    await expect(merchant.disbursements.bank(bankRequest)).rejects.toMatchObject({
      name: 'PaymentOutcomeUnknownError',
    });
  });

  it('is bounded by the time of an attempt alone', async () => {
    gateway.answer(hang);
    await expect(merchant.disbursements.bank(bankRequest, SHORT)).rejects.toMatchObject({
      attempts: [{ phase: 'ambiguous', code: 'TIMEOUT' }],
    });
  });

  it('follows no redirect either', async () => {
    gateway.answer(text('', 307, { location: gateway.baseUrl }), json(envelope(bankRecord)));
    await expect(merchant.disbursements.bank(bankRequest)).rejects.toMatchObject({
      name: 'PaymentsConfigError',
    });
    expect(gateway.seen).toHaveLength(1);
  });

  it('takes no proxy from the environment', async () => {
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    gateway.answer(json(envelope([])));
    const listed = await merchant.banks.list().finally(() => {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    });
    expect(listed).toEqual([]);
  });
});
