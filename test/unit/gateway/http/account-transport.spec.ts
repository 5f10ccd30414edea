import { HttpService } from '@nestjs/axios';
import { describe, expect, it, vi } from 'vitest';
import axios, { type AxiosInstance, type CreateAxiosDefaults } from 'axios';
import { Agent } from 'undici';
import { accountTransport } from '../../../../lib/gateway/http/account-transport.js';
import { undiciAdapter, UndiciTransport } from '../../../../lib/gateway/http/undici-transport.js';

const REQUEST = {
  method: 'GET',
  origin: 'http://127.0.0.1:1',
  path: '/',
  headers: {},
  body: undefined,
} as const;

/** Which way one request would leave. Nothing is sent. */
class Account {
  readonly ways: string[] = [];
  readonly below = new UndiciTransport(new Agent());
  readonly http: HttpService;
  readonly carrier: ReturnType<typeof accountTransport>;

  constructor(make: (below: UndiciTransport) => AxiosInstance) {
    const instance = make(this.below);
    const answer = Promise.resolve({ status: 200, statusText: '', headers: {}, data: '' });
    vi.spyOn(this.below, 'send').mockImplementation(() => {
      this.ways.push('straight');
      return { answer } as unknown as ReturnType<UndiciTransport['send']>;
    });
    vi.spyOn(instance, 'request').mockImplementation(() => {
      this.ways.push('axios');
      return answer;
    });
    this.http = new HttpService(instance);
    this.carrier = accountTransport(this.http);
  }

  /** Jest's types know no getter without a setter. */
  spyOnAxios() {
    return vi.spyOn(this.http as { axiosRef: object }, 'axiosRef', 'get');
  }

  send(): this {
    this.carrier.send(REQUEST);
    return this;
  }
}

const own = (defaults: CreateAxiosDefaults = {}) =>
  new Account((below) => axios.create({ ...defaults, adapter: undiciAdapter(below) }));

describe('the way of a request', () => {
  it('passes axios by until the application reaches for it, and never again', () => {
    const account = own().send();
    account.http.axiosRef.interceptors.request.use((config) => config);
    account.http.axiosRef.interceptors.request.clear();
    expect(account.send().send().ways).toEqual(['straight', 'axios', 'axios']);
  });

  it('goes through axios if axios uses another adapter', () => {
    expect(new Account(() => axios.create()).send().ways).toEqual(['axios']);
    expect(new Account(() => axios.create({ adapter: 'http' })).send().ways).toEqual(['axios']);
  });

  it.each([
    ['its own', { headers: { 'X-Proxy': 'a' } }],
    ['common ones', { headers: { common: { 'X-Proxy': 'a' } } }],
    ['of one method', { headers: { post: { 'X-Proxy': 'a' } } }],
  ])('goes through axios if the application gave default headers: %s', (_, defaults) => {
    expect(own(defaults as CreateAxiosDefaults).send().ways).toEqual(['axios']);
  });

  it('goes through whatever a test puts in place of the HttpService', () => {
    const sent: unknown[] = [];
    const fake = { axiosRef: { request: (config: unknown) => Promise.resolve(sent.push(config)) } };
    accountTransport(fake as unknown as HttpService).send(REQUEST);
    expect(sent).toHaveLength(1);
  });

  it('goes through axios while a test spies on the property', () => {
    const account = own();
    const spy = account.spyOnAxios();
    account.send();
    expect(spy).toHaveBeenCalledTimes(1);
    spy.mockRestore();
  });

  it('goes through what a test puts in place of axios, even if the test never read the original', () => {
    const account = own();
    const request = vi.fn<() => Promise<unknown>>().mockResolvedValue({});
    const spy = account.spyOnAxios().mockReturnValue({ request });
    account.send();
    spy.mockRestore();
    expect(request).toHaveBeenCalledTimes(1);
    expect(account.send().ways).toEqual(['straight']);
  });

  it('lets an application start whose tests put an HttpService without axios there', async () => {
    const { answer } = accountTransport({ get: () => undefined } as unknown as HttpService).send(REQUEST);
    await expect(answer).rejects.toThrow(TypeError);
  });
});
