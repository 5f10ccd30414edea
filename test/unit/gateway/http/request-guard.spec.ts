import axios, { type AxiosInstance } from 'axios';
import { describe, expect, it } from 'vitest';
import { watchSending } from '../../../../lib/gateway/http/send-watch.js';
import { RequestGuard } from '../../../../lib/gateway/http/request-guard.js';

describe('the guard of the requests of an axios', () => {
  it.each<[what: string, guarded: boolean, change: (instance: AxiosInstance) => AxiosInstance | undefined]>([
    ['as it was', true, (instance) => instance],
    [
      'with an interceptor of the application',
      true,
      (instance) => {
        instance.interceptors.request.use((config) => config);
        return instance;
      },
    ],
    [
      'whose request method somebody replaced',
      false,
      (instance) => Object.assign(instance, { request: () => Promise.resolve() }),
    ],
    [
      'whose interceptors the application cleared',
      true,
      (instance) => {
        instance.interceptors.request.use((config) => config);
        instance.interceptors.request.clear();
        instance.interceptors.request.use((config) => config);
        return instance;
      },
    ],
    [
      'without the first interceptor',
      false,
      (instance) => {
        instance.interceptors.request.eject(0);
        return instance;
      },
    ],
    ['that another one has replaced', false, () => axios.create()],
    ['that is gone', false, () => undefined],
  ])('knows one %s: %s', (_, guarded, change) => {
    const instance = axios.create();
    const guard = new RequestGuard(instance);
    expect(guard.guards(change(instance))).toBe(guarded);
  });

  it.each([
    ['an interceptor took longer than the call has', 0, 0],
    ['there is time', Infinity, 1],
  ])('hands nothing to an adapter of the application once it is too late: %s', async (_, deadline, sent) => {
    const passed: unknown[] = [];
    const instance = axios.create({
      adapter: (config) => {
        passed.push(config.url);
        return Promise.resolve({ data: '', status: 200, statusText: '', headers: {}, config });
      },
    });
    new RequestGuard(instance);
    const { signal } = new AbortController();
    const request = { method: 'GET', origin: 'http://127.0.0.1:1', path: '/', headers: {} } as const;
    const limits = { deadline, wallDeadline: Infinity };
    const watch = watchSending(signal, { ...request, body: undefined }, undefined, limits);
    await instance.get('http://127.0.0.1:1/', { signal }).catch(() => undefined);
    expect([passed.length, watch.dispatched]).toEqual([sent, sent]);
  });

  it('runs before interceptors that cannot be cleared, such as those of a test', () => {
    const used: string[] = [];
    const interceptors = {
      request: { use: () => used.push('request') },
      response: { use: () => used.push('response') },
    };
    new RequestGuard({ request: () => Promise.resolve(), interceptors } as unknown as AxiosInstance);
    expect(used).toEqual(['request', 'response']);
  });
});
