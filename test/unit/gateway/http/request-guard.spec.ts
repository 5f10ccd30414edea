import axios, { type AxiosInstance } from 'axios';
import { describe, expect, it } from 'vitest';
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
