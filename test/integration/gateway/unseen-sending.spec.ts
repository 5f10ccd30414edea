import { afterEach, describe, expect, it, vi } from 'vitest';
import plainAxios, {
  type AxiosAdapter,
  type AxiosInstance,
  type AxiosRequestTransformer,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PaymentsModuleOptions } from 'nestjs-payments';
import { bankRequest } from '../../support/gateway-answers.js';
import { GatewayPlaces } from '../../support/gateway-places.js';
import { startLedgerGateway, type LedgerGateway } from '../../support/ledger-gateway.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import {
  hang,
  json,
  reset,
  startMisbehavingGateway,
  text,
  type Behaviour,
} from '../../support/misbehaving-gateway.js';
import { accept, refuse } from '../../support/working-gateway.js';

type Http = NonNullable<PaymentsModuleOptions['http']>;
type Config = InternalAxiosRequestConfig;

/** With an agent, axios' own adapter sends, through Node's client. */
const CONNECTIONS: [over: string, http: () => Http][] = [
  ["the package's own connections", () => ({})],
  ['an agent of the application', () => ({ httpAgent: new HttpAgent() })],
];
const NO_BALANCE = refuse('INSUFFICIENT_BALANCE', 422);
const NEVER_SENT = {
  name: 'PaymentsConfigError',
  mayHaveBeenProcessed: false,
  attempts: [{ phase: 'not-sent', code: 'REQUEST_CHANGED' }],
};
/** Nothing left by the package, but the adapter that changed the payment may have sent it. */
const UNSEEN = {
  name: 'PaymentOutcomeUnknownError',
  evidence: 'no-answer',
  attempts: [{ phase: 'ambiguous', code: 'REQUEST_CHANGED' }],
};
const SHORT = { timeoutMs: 50, retry: false } as const;

const closing: (() => unknown)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(baseUrl: string, http: Http): Promise<{ merchant: Merchant; axios: AxiosInstance }> {
  const merchant = await startMerchant({ baseUrl, http, timeoutMs: 20_000 });
  closing.push(() => merchant.close());
  return { merchant, axios: merchant.http.axiosRef };
}

const payTo = (merchant: Merchant, options?: object): Promise<unknown> =>
  merchant.disbursements.bank(bankRequest, options).catch((error: unknown) => error);

/** Changes every request, and puts another signal into the place of the package's own. */
function replaceSignal(axios: AxiosInstance, change: (config: Config) => unknown = () => undefined): void {
  axios.interceptors.request.use(async (config) => {
    config.signal = new AbortController().signal;
    await change(config);
    return config;
  });
}

/** Resolves when axios is through with a request, whatever its result. */
function settled(axios: AxiosInstance): Promise<void> {
  return new Promise((resolve) => {
    axios.interceptors.response.use(
      (response) => {
        resolve();
        return response;
      },
      (error: Error) => {
        resolve();
        throw error;
      },
    );
  });
}

/** Sends a payment as the package asked for it, past the package. */
const ELSEWHERE: [through: string, send: (config: Config) => Promise<unknown>][] = [
  [
    'another axios',
    ({ url, data, headers }) =>
      plainAxios.request({
        method: 'post',
        url: String(url),
        data: String(data),
        headers: headers.toJSON(),
        responseType: 'text',
        transformResponse: [(answer: unknown) => answer],
        validateStatus: () => true,
      }),
  ],
  [
    'fetch',
    async ({ url, data, headers }) => {
      const init = {
        method: 'POST',
        body: String(data),
        headers: headers.toJSON(true),
      };
      const answer = await fetch(String(url), init);
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        data: await answer.text(),
      };
    },
  ],
];

/** Loses the answer to a payment that the gateway has made. */
const LOST: [how: string, lose: (axios: AxiosInstance) => Behaviour][] = [
  ['a reset', () => reset],
  [
    'a time-out of the application',
    (axios) => {
      const timeout = new AbortController();
      axios.interceptors.request.use((config) => {
        config.signal = timeout.signal;
        return config;
      });
      return () => {
        timeout.abort();
      };
    },
  ],
  ['a 502', () => text('Bad gateway', 502)],
];

/** Something that a test lets happen. */
function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe.each(CONNECTIONS)('over %s', (_, http) => {
  let gateway: LedgerGateway;
  let merchant: Merchant;
  let axios: AxiosInstance;

  const begin = async (): Promise<void> => {
    gateway = await startLedgerGateway();
    closing.push(() => gateway.close());
    ({ merchant, axios } = await start(gateway.baseUrl, http()));
  };
  const pay = (options?: object): Promise<unknown> => payTo(merchant, options);

  describe("an interceptor that replaces a payment's signal", () => {
    it.each<[what: string, change: (headers: Config['headers']) => unknown]>([
      ['sets another key', (headers) => headers.set('Idempotency-Key', randomUUID())],
      ['deletes the key', (headers) => headers.delete('Idempotency-Key')],
    ])('and %s, sends nothing: one payout is never three', async (__, change) => {
      await begin();
      replaceSignal(axios, ({ headers }) => change(headers));
      expect(await pay()).toMatchObject(NEVER_SENT);
      expect(gateway.seen).toHaveLength(0);
    });

    it('alone is welcome', async () => {
      await begin();
      replaceSignal(axios);
      gateway.begin(accept);
      expect(await pay()).toMatchObject({ provider: 'provider-b' });
      expect(gateway.effects()).toBe(1);
    });

    it('keeps nobody from giving up: an answer that never comes leaves the payment unknown, and no connection open', async () => {
      await begin();
      replaceSignal(axios);
      const [arrived, closed] = [gate(), gate()];
      gateway.begin((response, socket, request) => {
        socket.on('close', closed.open);
        hang(response, socket, request);
        arrived.open();
      });
      // The time runs out after the request has arrived.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const paid = pay();
      await arrived.opened;
      await vi.advanceTimersByTimeAsync(20_000);
      expect(await paid).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'no-answer',
      });
      await closed.opened;
      expect(gateway.effects()).toBe(1);
    });

    it('and comes back after the caller got the error that nothing was sent, sends nothing any more', async () => {
      await begin();
      const late = gate();
      replaceSignal(axios, () => late.opened);
      const through = settled(axios);
      expect(await pay(SHORT)).toMatchObject({
        name: 'GatewayUnreachableError',
        mayHaveBeenProcessed: false,
      });
      late.open();
      await through;
      expect(gateway.seen).toHaveLength(0);
    });
  });

  describe('an interceptor that sends again without the signal', () => {
    it('after the caller got the error that nothing was sent, sends nothing any more', async () => {
      await begin();
      const late = gate();
      let asked: Config | undefined;
      axios.interceptors.request.use((config) => {
        if (asked) return config;
        asked = config;
        throw new Error('no token');
      });
      let again: Promise<unknown> | undefined;
      axios.interceptors.response.use(undefined, (error: Error) => {
        if (again) throw error;
        const { signal: __, ...config } = asked ?? {};
        again = late.opened.then(() => axios.request(config));
        return again;
      });
      expect(await pay(SHORT)).toMatchObject({ name: 'GatewayUnreachableError' });
      late.open();
      await expect(again).rejects.toThrow();
      expect(gateway.seen).toHaveLength(0);
    });

    it('for its first try, while the second is under way or after it, sends nothing', async () => {
      await begin();
      const late = gate();
      let tries = 0;
      let again: Promise<unknown> | undefined;
      axios.interceptors.request.use((config) => {
        tries += 1;
        if (tries > 1) return config;
        const { signal: __, ...copy } = config;
        again = late.opened.then(() => axios.request(copy));
        throw new Error('no token');
      });
      gateway.begin(NO_BALANCE);
      expect(await pay()).toMatchObject({ name: 'PaymentRejectedError', code: 'INSUFFICIENT_BALANCE' });
      late.open();
      await expect(again).rejects.toThrow();
      expect(gateway.seen).toHaveLength(1);
    });
  });

  describe('an interceptor that sends through another client', () => {
    const elsewhere = (): void => {
      axios.interceptors.request.use((config) => {
        throw Object.assign(new Error('not through this one'), { config });
      });
      axios.interceptors.response.use(undefined, ({ config }: { readonly config: Config }) =>
        ELSEWHERE[0]?.[1](config),
      );
    };

    it('may find out that the payment was made, and it is made once', async () => {
      await begin();
      elsewhere();
      gateway.begin(accept);
      expect(await pay()).toMatchObject({ provider: 'provider-b' });
      expect(gateway.seen).toHaveLength(1);
    });

    it('has refused nothing: nobody saw what was sent', async () => {
      await begin();
      elsewhere();
      gateway.begin(NO_BALANCE);
      expect(await pay()).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'refused-after-ambiguity',
      });
      await pay();
      expect(gateway.seen).toHaveLength(1);
    });
  });

  describe.each(ELSEWHERE)('an interceptor that sends again through %s', (__, send) => {
    const sendAgain = (): void => {
      let asked: Config;
      axios.interceptors.request.use((config) => (asked = config));
      axios.interceptors.response.use(
        (response) => (response.status === 502 ? (send(asked) as never) : response),
        () => send(asked),
      );
    };

    it.each(LOST)('after %s has refused nothing: the payment was made', async (___, lose) => {
      await begin();
      sendAgain();
      const first = lose(axios);
      gateway.begin((...to) => {
        first(...to);
        gateway.next(NO_BALANCE);
      });
      expect(await pay()).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'refused-after-ambiguity',
      });
      await pay();
      expect([gateway.seen.length, gateway.effects()]).toEqual([2, 1]);
    });

    it.each(LOST)('after %s may find out that the payment was made', async (___, lose) => {
      await begin();
      sendAgain();
      const first = lose(axios);
      gateway.begin((...to) => {
        first(...to);
        gateway.next(accept);
      });
      expect(await pay()).toMatchObject({ provider: 'provider-b' });
      expect([gateway.seen.length, gateway.effects()]).toEqual([2, 1]);
    });

    it('in an adapter above that of axios has refused nothing, either', async () => {
      await begin();
      axios.interceptors.request.use((config) => {
        const below = plainAxios.getAdapter(config.adapter);
        config.adapter = ((each) => below(each).catch(() => send(each) as never)) satisfies AxiosAdapter;
        return config;
      });
      gateway.begin((...to) => {
        reset(...to);
        gateway.next(NO_BALANCE);
      });
      expect(await pay()).toMatchObject({ evidence: 'refused-after-ambiguity' });
    });

    it('after an adapter of the application has failed, which nobody watches, has refused nothing, either', async () => {
      await begin();
      sendAgain();
      axios.defaults.adapter = async (config) => {
        await send(config);
        throw new Error('no answer');
      };
      gateway.begin((...to) => {
        accept(...to);
        gateway.next(NO_BALANCE);
      });
      expect(await pay()).toMatchObject({ evidence: 'refused-after-ambiguity' });
      await pay();
      expect([gateway.seen.length, gateway.effects()]).toEqual([2, 1]);
    });
  });

  describe('an interceptor of answers', () => {
    it.each<[does: string, change: (response: AxiosResponse) => unknown]>([
      ['reads them', () => undefined],
      ['parses them', (response) => (response.data = JSON.parse(String(response.data)) as unknown)],
      ['adds headers', ({ headers }) => (headers['x-read'] = 'yes')],
    ])('that %s leaves a refusal what it is', async (__, change) => {
      await begin();
      axios.interceptors.response.use((response) => {
        change(response);
        return { ...response };
      });
      gateway.begin(NO_BALANCE);
      expect(await pay()).toMatchObject({ name: 'PaymentRejectedError', code: 'INSUFFICIENT_BALANCE' });
    });

    it.each<[what: string, change: (response: AxiosResponse) => unknown]>([
      ['status', (response) => (response.status = 400)],
      ['body', (response) => (response.data = String(response.data).replace('"No"', '"Never"'))],
    ])('that gives a refusal another %s has refused nothing', async (__, change) => {
      await begin();
      axios.interceptors.response.use((response) => {
        change(response);
        return response;
      });
      gateway.begin(NO_BALANCE);
      expect(await pay()).toMatchObject({ evidence: 'refused-after-ambiguity' });
    });

    it('leaves a refusal by an adapter of a test what it is', async () => {
      await begin();
      axios.interceptors.response.use((response) => ({ ...response }));
      const data = { success: false, code: 'INSUFFICIENT_BALANCE', message: 'No' };
      axios.defaults.adapter = (config) =>
        Promise.resolve({ status: 422, statusText: '', headers: {}, data, config });
      expect(await pay()).toMatchObject({ name: 'PaymentRejectedError', code: 'INSUFFICIENT_BALANCE' });
    });
  });

  describe('an application that clears the interceptors', () => {
    it('of requests does not hide that one of its own sent the payment again', async () => {
      await begin();
      axios.interceptors.request.clear();
      const requests: Config[] = [];
      axios.interceptors.request.use((config) => {
        requests.push(config);
        return config;
      });
      axios.interceptors.response.use(undefined, (error: Error) => {
        const [request] = requests;
        if (!request || requests.length > 1) throw error;
        return axios.post(String(request.url), request.data, { headers: request.headers.toJSON() });
      });
      gateway.begin((...to) => {
        reset(...to);
        gateway.next(NO_BALANCE);
      });
      expect(await pay()).toMatchObject({ evidence: 'refused-after-ambiguity' });
      await pay();
      expect([gateway.seen.length, gateway.effects()]).toEqual([2, 1]);
    });

    it('of requests does not let one of its own change the key', async () => {
      await begin();
      axios.interceptors.request.clear();
      axios.interceptors.request.use((config) => {
        config.headers.set('Idempotency-Key', randomUUID());
        return config;
      });
      expect(await pay()).toMatchObject(NEVER_SENT);
      expect(gateway.seen).toHaveLength(0);
    });

    it('of answers leaves a refusal what it is, that of an adapter of its own, too', async () => {
      await begin();
      axios.interceptors.response.clear();
      gateway.begin(NO_BALANCE);
      expect(await pay()).toMatchObject({ name: 'PaymentRejectedError', code: 'INSUFFICIENT_BALANCE' });
      const data = { success: false, code: 'INVALID_PHONE', message: 'No' };
      axios.defaults.adapter = (config) =>
        Promise.resolve({ status: 422, statusText: '', headers: {}, data, config });
      expect(await pay()).toMatchObject({ name: 'PaymentRejectedError', code: 'INVALID_PHONE' });
    });

    it('can still eject its own, and no other', async () => {
      await begin();
      axios.interceptors.request.clear();
      const fail = axios.interceptors.request.use(() => {
        throw new Error('ejected too late');
      });
      axios.interceptors.request.eject(fail);
      gateway.begin(accept);
      expect(await pay()).toMatchObject({ provider: 'provider-b' });
    });
  });

  describe('an adapter of the application that throws for a refusal', () => {
    it('leaves the payment unknown: nobody saw what came', async () => {
      await begin();
      axios.defaults.adapter = (config) =>
        Promise.reject(Object.assign(new Error('422'), { response: { status: 422, data: {}, config } }));
      expect(await pay()).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'no-answer' });
    });
  });

  describe('a request of the application itself through the same axios', () => {
    const token = json({ token: 't' });

    it('is never looked at', async () => {
      await begin();
      gateway.begin(token);
      await axios.get(`${gateway.baseUrl}/token`);
      await axios.post(`${gateway.baseUrl}/token`, '{}');
      expect(gateway.seen).toHaveLength(2);
    });

    it('may be made while a read is sent', async () => {
      await begin();
      gateway.begin(token);
      let asked = false;
      axios.interceptors.request.use(async (config) => {
        if (asked) return config;
        asked = true;
        await axios.get(`${gateway.baseUrl}/token`);
        gateway.next(json({ status: 'success', code: 'SUCCESS', message: 'm', data: [] }));
        return config;
      });
      await merchant.banks.list();
      expect(gateway.seen.map(({ path }) => path)).toEqual(['/api/v1/token', '/api/v1/bank-shortnames']);
    });

    it('is taken for a changed payment while one is sent', async () => {
      await begin();
      let asked = false;
      axios.interceptors.request.use(async (config) => {
        if (asked) return config;
        asked = true;
        await axios.get(`${gateway.baseUrl}/token`);
        return config;
      });
      expect(await pay()).toMatchObject(NEVER_SENT);
      expect(gateway.seen).toHaveLength(0);
    });
  });

  describe('a change after every interceptor', () => {
    const other = (text: string): string => text.replace('"amount":', '"amount":9');
    const below = (change: (config: Config) => unknown): ((config: Config) => unknown) => {
      return (config) => {
        const send = plainAxios.getAdapter(config.adapter);
        config.adapter = ((each) => {
          change(each);
          return send(each);
        }) satisfies AxiosAdapter;
      };
    };
    const transform = (by: AxiosRequestTransformer) => (config: Config) => (config.transformRequest = [by]);

    it.each<[what: string, by: string, change: (config: Config) => unknown]>([
      ['the body', 'transformRequest', transform((data) => other(String(data)))],
      [
        'the body',
        'transformRequest that makes bytes',
        transform((data) => Buffer.from(other(String(data)))),
      ],
      ['the body', 'an adapter', below((config) => (config.data = other(String(config.data))))],
      [
        'the body',
        'an adapter that takes it away',
        below((config) => {
          delete config.data;
        }),
      ],
      [
        'the Idempotency-Key',
        'transformRequest',
        transform((data, headers) => {
          headers.set('Idempotency-Key', randomUUID());
          return data as unknown;
        }),
      ],
      [
        'the Idempotency-Key',
        'an adapter',
        below(({ headers }) => headers.set('Idempotency-Key', randomUUID())),
      ],
      ['the method', 'an adapter', below((config) => (config.method = 'put'))],
      [
        'the host',
        'an adapter',
        below((config) => (config.url = String(config.url).replace('127.0.0.1', 'localhost'))),
      ],
      [
        'the path',
        'an adapter',
        below((config) => (config.url = String(config.url).replace('/bank', '/mobile-money'))),
      ],
      ['the path', 'params', (config) => (config.params = { trace: 1 })],
      [
        'the path',
        'a baseURL',
        (config) => Object.assign(config, { baseURL: gateway.baseUrl, allowAbsoluteUrls: false }),
      ],
      ['the Host header', 'an interceptor', ({ headers }) => headers.set('host', 'other-merchant.example')],
      [
        'the Host header',
        'an adapter',
        below(({ headers }) => headers.set('Host', 'other-merchant.example')),
      ],
      ['the Content-Length', 'less of it', ({ headers }) => headers.set('Content-Length', '10')],
      ['the Content-Length', 'more of it', ({ headers }) => headers.set('Content-Length', '9999')],
      ['the Content-Length', 'an adapter', below(({ headers }) => headers.set('content-length', '10'))],
      [
        'the Transfer-Encoding',
        'an interceptor',
        ({ headers }) => headers.set('Transfer-Encoding', 'chunked'),
      ],
    ])('in %s by %s stops the payment before anything is sent', async (what, by, change) => {
      await begin();
      axios.interceptors.request.use((config) => {
        change(config);
        return config;
      });
      expect(await pay()).toMatchObject(
        by.startsWith('an adapter')
          ? UNSEEN
          : { ...NEVER_SENT, message: expect.stringContaining(what) as unknown },
      );
      expect(gateway.seen).toHaveLength(0);
    });

    it('of nothing is welcome, whatever carries the bytes', async () => {
      await begin();
      axios.interceptors.request.use((config) => {
        config.onUploadProgress = () => undefined;
        return config;
      });
      gateway.begin(accept);
      expect(await pay()).toMatchObject({ provider: 'provider-b' });
      expect(JSON.parse(gateway.seen[0]?.body ?? '')).toMatchObject({ reference: bankRequest.reference });
    });

    it('to what is true anyway is welcome', async () => {
      await begin();
      axios.interceptors.request.use((config) => {
        config.headers.set('Host', new URL(gateway.baseUrl).host);
        config.headers.set('Content-Length', Buffer.byteLength(String(config.data)));
        return config;
      });
      gateway.begin(accept);
      expect(await pay()).toMatchObject({ provider: 'provider-b' });
    });

    it('of the bytes on their way stops the payment, too', async () => {
      await begin();
      axios.interceptors.request.use((config) => {
        config.onUploadProgress = () => undefined;
        config.transformRequest = [(data) => other(String(data))];
        return config;
      });
      expect(await pay()).toMatchObject(NEVER_SENT);
      expect(gateway.seen).toHaveLength(0);
    });
  });
});

describe("an adapter of the application that sends a payment itself, and hands it to axios' own after a reset", () => {
  const inner = plainAxios.getAdapter('http');

  async function payBoth(
    handOn: (config: Config) => Promise<AxiosResponse>,
  ): Promise<{ error: unknown; gateway: LedgerGateway }> {
    const gateway = await startLedgerGateway();
    closing.push(() => gateway.close());
    const adapter: AxiosAdapter = (config) => {
      const init = { method: 'POST', body: String(config.data), headers: config.headers.toJSON(true) };
      return fetch(String(config.url), init).then(
        () => Promise.reject(new Error('no reset')),
        () => handOn(config),
      );
    };
    const { merchant } = await start(gateway.baseUrl, { adapter });
    gateway.begin((...to) => {
      reset(...to);
      gateway.next(NO_BALANCE);
    });
    return { error: await payTo(merchant), gateway };
  }

  it('leaves the payment unknown if axios finds no connection', async () => {
    const port = await new GatewayPlaces().closedPort();
    const agent = new HttpAgent();
    const open = agent.createConnection.bind(agent);
    agent.createConnection = (options, done) => open({ ...options, port }, done);
    const { error, gateway } = await payBoth((config) => inner({ ...config, httpAgent: agent }));
    expect(error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'no-answer',
      attempts: [{ phase: 'ambiguous', code: 'ECONNREFUSED' }],
    });
    expect(gateway.effects()).toBe(1);
  });

  it('leaves the payment unknown if axios gets a refusal', async () => {
    const { error, gateway } = await payBoth((config) => inner(config));
    expect(error).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'refused-after-ambiguity',
    });
    expect([gateway.seen.length, gateway.effects()]).toEqual([2, 1]);
  });
});

describe('a payment that waits for its connection, with another signal than that of the package,', () => {
  it('never leaves once its time is up: all connections were in use', async () => {
    const gateway = await startMisbehavingGateway();
    closing.push(() => gateway.close());
    const { merchant, axios } = await start(gateway.baseUrl, {});
    replaceSignal(axios);
    const held: (() => void)[] = [];
    const list = json({ status: 'success', code: 'SUCCESS', message: 'm', data: [] });
    const hold: Behaviour = (...to) =>
      held.push(() => {
        list(...to);
      });
    gateway.answer(hold);
    const reads = Array.from({ length: 50 }, () => merchant.banks.list());
    await gateway.arrived(50);
    expect(await payTo(merchant, SHORT)).toMatchObject({
      name: 'GatewayUnreachableError',
      mayHaveBeenProcessed: false,
    });
    gateway.answer(list);
    for (const answer of held) answer();
    await Promise.all(reads);
    await merchant.banks.list();
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('never leaves once its time is up: the handshake took longer', async () => {
    const places = new GatewayPlaces();
    closing.push(() => places.close());
    const pem = (name: string): Buffer => readFileSync(join('test', 'support', 'tls', `${name}.pem`));
    const target = new URL(await places.secured({ cert: pem('loopback.cert'), key: pem('loopback.key') }));
    const handshake = gate();
    const closed = gate();
    const server = createServer((client: Socket) => {
      client.on('close', closed.open).on('error', () => undefined);
      void handshake.opened.then(() => {
        const upstream = connect(Number(target.port), '127.0.0.1');
        upstream.on('error', () => undefined);
        client.pipe(upstream).pipe(client);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { merchant, axios } = await start(`https://127.0.0.1:${port}/api/v1`, {
      httpsAgent: new HttpsAgent({ ca: pem('loopback.cert') }),
    });
    replaceSignal(axios);
    expect(await payTo(merchant, SHORT)).toMatchObject({
      name: 'GatewayUnreachableError',
      mayHaveBeenProcessed: false,
    });
    handshake.open();
    await closed.opened;
    expect(places.requests).toBe(0);
  });
});

it.each(ELSEWHERE)(
  'an interceptor that sends through %s because a proxy refused the tunnel has refused nothing',
  async (_, send) => {
    const gateway = await startLedgerGateway();
    closing.push(() => gateway.close());
    const places = new GatewayPlaces();
    closing.push(() => places.close());
    const port = await places.tunnel(undefined, '407 Proxy Authentication Required');
    const proxy = { protocol: 'http', host: '127.0.0.1', port };
    const { merchant, axios } = await start('https://gateway.example/api/v1', { proxy });
    const url = `${gateway.baseUrl}/disbursements/bank`;
    axios.interceptors.response.use((response) => send({ ...response.config, url }) as never);
    gateway.begin(NO_BALANCE);
    expect(await payTo(merchant)).toMatchObject({ evidence: 'refused-after-ambiguity' });
    await payTo(merchant);
    expect([gateway.seen.length, gateway.effects()]).toEqual([1, 1]);
  },
);

it('an interceptor that sends again once a refused connection is there, after the caller was told, sends nothing', async () => {
  const gateway = await startLedgerGateway();
  closing.push(() => gateway.close());
  let isUp = false;
  const agent = new HttpAgent();
  const open = agent.createConnection.bind(agent);
  const closedPort = await new GatewayPlaces().closedPort();
  agent.createConnection = (options, done) => open(isUp ? options : { ...options, port: closedPort }, done);
  const { merchant, axios } = await start(gateway.baseUrl, { httpAgent: agent });
  const late = gate();
  let again: Promise<unknown> | undefined;
  axios.interceptors.response.use(undefined, (error: { readonly config: Config }) => {
    const { signal: _, ...config } = error.config;
    again ??= late.opened.then(() => axios.request(config));
    return again;
  });
  expect(await payTo(merchant, SHORT)).toMatchObject({
    name: 'GatewayUnreachableError',
    mayHaveBeenProcessed: false,
  });
  isUp = true;
  late.open();
  await expect(again).rejects.toThrow();
  expect(gateway.effects()).toBe(0);
});
