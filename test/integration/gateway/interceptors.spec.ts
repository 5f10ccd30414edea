import { type HttpService } from '@nestjs/axios';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import { bankRequest } from '../../support/gateway-answers.js';
import { startLedgerGateway, type LedgerGateway } from '../../support/ledger-gateway.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import { json, reset } from '../../support/misbehaving-gateway.js';
import { accept, refuse } from '../../support/working-gateway.js';

const NO_BALANCE = refuse('INSUFFICIENT_BALANCE', 422);

let gateway: LedgerGateway;
let merchant: Merchant;
let axios: AxiosInstance;

beforeEach(async () => {
  gateway = await startLedgerGateway();
  merchant = await startMerchant({ baseUrl: gateway.baseUrl, timeoutMs: 1_000 });
  const http: HttpService = merchant.http;
  axios = http.axiosRef;
});

afterEach(async () => {
  await merchant.close();
  await gateway.close();
});

/** What the last request was asked for: not every error of an adapter names it. */
let asked: InternalAxiosRequestConfig;
const remember = (): void => {
  axios.interceptors.request.use((config) => (asked = config));
};

const pay = (): Promise<unknown> => merchant.disbursements.bank(bankRequest).catch((error: unknown) => error);
const change = (by: (config: InternalAxiosRequestConfig) => void): void => {
  axios.interceptors.request.use((config) => {
    by(config);
    return config;
  });
};

/** As a retrying interceptor does: the first failure is tried again, and the next one is handed on. */
function once(resend: () => Promise<unknown>): (error: Error) => Promise<unknown> {
  let used = false;
  return (error) => {
    if (used) return Promise.reject(error);
    used = true;
    return resend();
  };
}

describe('an interceptor that sends again by itself', () => {
  const ways: [how: string, resend: () => Promise<unknown>][] = [
    ['with its own configuration', () => axios.request(asked)],
    [
      'with a request of its own, without the signal',
      () => axios.post(String(asked.url), asked.data, { headers: asked.headers.toJSON() }),
    ],
  ];

  describe.each(ways)('%s', (_, resend) => {
    beforeEach(() => {
      remember();
      axios.interceptors.response.use(undefined, once(resend));
    });

    it('hides no first try that may have arrived: the refusal of the second proves nothing', async () => {
      let requests = 0;
      gateway.begin((response, socket, request) => {
        requests += 1;
        reset(response, socket, request);
        gateway.next(NO_BALANCE);
      });
      expect(await pay()).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'refused-after-ambiguity',
      });
      await pay();
      expect(requests).toBe(1);
      expect(gateway.effects()).toBe(1);
    });

    it('may find out that the payment was made', async () => {
      gateway.begin((response, socket, request) => {
        reset(response, socket, request);
        gateway.next(accept);
      });
      expect(await pay()).toMatchObject({ provider: 'provider-b' });
      expect(gateway.effects()).toBe(1);
    });
  });

  it('does not make a refusal unknown if nothing was sent the first time', async () => {
    let failed = false;
    axios.interceptors.request.use((config) => {
      if (failed) return config;
      failed = true;
      asked = config;
      throw new Error('no token');
    });
    remember();
    const resend = once(() => axios.request(asked));
    axios.interceptors.response.use(undefined, resend);
    gateway.begin(NO_BALANCE);
    expect(await pay()).toMatchObject({ name: 'PaymentRejectedError', code: 'INSUFFICIENT_BALANCE' });
  });
});

describe('an interceptor that changes a payment', () => {
  const ANOTHER_KEY = 'pk_test_of_another_merchant';
  const changes: [what: string, by: (config: InternalAxiosRequestConfig) => void][] = [
    ['the Idempotency-Key', ({ headers }) => headers.set('Idempotency-Key', String(Math.random()))],
    ['the Idempotency-Key', ({ headers }) => headers.delete('Idempotency-Key')],
    ['the X-API-KEY header', ({ headers }) => headers.set('X-API-KEY', ANOTHER_KEY)],
    ['the X-API-SECRET header', ({ headers }) => headers.set('x-api-secret', ANOTHER_KEY)],
    ['the body', (config) => (config.data = '{}')],
    [
      'the body',
      (config) => {
        config.data = JSON.parse(String(config.data)) as unknown;
      },
    ],
    ['the method', (config) => (config.method = 'put')],
    ['the host', (config) => (config.url = String(config.url).replace('127.0.0.1', 'localhost'))],
    ['the path', (config) => (config.url = String(config.url).replace('/bank', '/mobile-money'))],
    ['the path', (config) => (config.url = `${config.url ?? ''}?trace=1`)],
  ];

  it.each(changes)('in %s stops it before anything is sent', async (what, by) => {
    change(by);
    const refused = await pay();
    expect(inspect(refused, { depth: 9 })).not.toContain(ANOTHER_KEY);
    expect(refused).toMatchObject({
      name: 'PaymentsConfigError',
      message: expect.stringContaining(what) as unknown,
      mayHaveBeenProcessed: false,
      attempts: [{ phase: 'not-sent', code: 'REQUEST_CHANGED' }],
    });
    expect(gateway.seen).toHaveLength(0);
  });

  it('in an adapter above that of the package stops it, too, and that adapter may have sent it itself before', async () => {
    const below = axios.defaults.adapter as (config: InternalAxiosRequestConfig) => Promise<never>;
    axios.defaults.adapter = (config) => {
      config.headers.set('Idempotency-Key', 'another');
      return below(config);
    };
    expect(await pay()).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      attempts: [{ phase: 'ambiguous', code: 'REQUEST_CHANGED' }],
    });
    expect(gateway.seen).toHaveLength(0);
  });

  it('only between two sends leaves what was sent first unknown', async () => {
    remember();
    const resend = once(() => {
      asked.headers.set('Idempotency-Key', 'another');
      return axios.request(asked);
    });
    axios.interceptors.response.use(undefined, resend);
    gateway.begin(reset);
    expect(await pay()).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'no-answer' });
    expect(gateway.effects()).toBe(1);
  });

  it('by adding headers is welcome', async () => {
    change(({ headers }) => headers.set('X-Trace', 'abc'));
    gateway.begin(accept);
    expect(await pay()).toMatchObject({ provider: 'provider-b' });
    expect(gateway.seen[0]?.headers['x-trace']).toBe('abc');
  });

  it('that only reads, may send it elsewhere', async () => {
    change((config) => (config.url = `${config.url ?? ''}?trace=1`));
    gateway.begin(json({ status: 'success', code: 'SUCCESS', message: 'm', data: [] }));
    await merchant.banks.list();
    expect(gateway.seen[0]?.path).toBe('/api/v1/bank-shortnames?trace=1');
  });
});

describe('a request interceptor that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no token');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no token'))],
  ])('and %s has sent nothing', async (_, fail: () => never | Promise<never>) => {
    axios.interceptors.request.use(fail);
    expect(await pay()).toMatchObject({
      name: 'GatewayUnreachableError',
      mayHaveBeenProcessed: false,
      message: expect.stringContaining('interceptor') as unknown,
    });
    expect(gateway.seen).toHaveLength(0);
  });

  it('and throws from the second try on has sent nothing more than what the gateway turned away', async () => {
    let calls = 0;
    axios.interceptors.request.use((config) => {
      calls += 1;
      if (calls > 1) throw new Error('no token');
      return config;
    });
    gateway.begin(json({ message: 'Too many' }, 429, { 'retry-after': '0' }));
    expect(await pay()).toMatchObject({
      name: 'GatewayUnreachableError',
      mayHaveBeenProcessed: false,
      message: expect.stringMatching(
        /^The gateway turned 1 of 3 tries away \(HTTP 429\), and nothing else was sent: an interceptor/,
      ) as unknown,
      attempts: [{ phase: 'answered', httpStatus: 429 }, { phase: 'not-sent' }, { phase: 'not-sent' }],
    });
    expect(gateway.seen).toHaveLength(1);
  });

  it('by never coming back has sent nothing, and sends nothing later', async () => {
    let comeBack = (): void => undefined;
    axios.interceptors.request.use(
      (config) =>
        new Promise((resolve) => {
          comeBack = () => {
            resolve(config);
          };
        }),
    );
    const error = await merchant.disbursements
      .bank(bankRequest, { timeoutMs: 50, retry: false })
      .catch((failure: unknown) => failure);
    expect(error).toMatchObject({ name: 'GatewayUnreachableError' });
    comeBack();
    await new Promise(setImmediate);
    expect(gateway.seen).toHaveLength(0);
  });

  it('counts as sent if the package no longer sees what passes', async () => {
    // The package's own interceptor.
    axios.interceptors.request.eject(0);
    axios.interceptors.request.use(() => {
      throw new Error('no token');
    });
    expect(await pay()).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'no-answer' });
  });
});
