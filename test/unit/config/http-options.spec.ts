import { describe, expect, it } from 'vitest';
import { resolveOptions, resolveRegistration } from '../../../lib/config/resolve-options.js';

const valid = { baseUrl: 'http://localhost:3000/api/v1', apiKey: 'pk_test_demo', apiSecret: 'sk_test_demo' };

const problem = (http: unknown, others: object = {}): string => {
  try {
    resolveOptions({ ...valid, ...others, http });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the option http', () => {
  it.each([
    ['adapter', { adapter: 'http' }],
    ['agents', { httpAgent: {}, httpsAgent: {} }],
    ['a proxy', { proxy: { host: 'proxy', port: 3128 } }],
    ['no proxy', { proxy: false }],
    ['headers', { headers: { 'x-tenant': '7' } }],
    ['a path of a socket', { socketPath: '/run/gateway.sock', allowedSocketPaths: '/run/gateway.sock' }],
    ['a lookup of its own', { lookup: () => undefined, family: 4 }],
    ['a user before the gateway', { auth: { username: 'u', password: 'p' } }],
    ['limits', { maxContentLength: 1_000, maxRate: 1_000 }],
    ['another parser', { insecureHTTPParser: true, decompress: true }],
    ['options of fetch', { adapter: 'fetch', fetchOptions: {}, env: {} }],
    ['options of fetch in a list', { adapter: ['fetch'], fetchOptions: {}, env: {} }],
    ["names of an adapter of the application's", { adapter: () => undefined, tracing: true }],
    ['options of the module', { global: true, extraProviders: [] }],
    ['what the package sets', { maxRedirects: 5, responseType: 'json', validateStatus: () => false }],
    ['what the package sets for the texts', { transformRequest: [], transformResponse: [] }],
  ])('takes %s', (_, http) => {
    expect(resolveOptions({ ...valid, http }).http).toEqual(http);
  });

  it('leaves out what is undefined: it asks for nothing, and takes no place of an option of the package', () => {
    const http = { proxy: undefined, timeout: undefined, maxContentLength: undefined, tracing: undefined };
    expect(resolveOptions({ ...valid, http }).http).toStrictEqual({});
  });

  it.each([
    ['timeout', 5_000, '`timeoutMs`'],
    ['timeoutErrorMessage', 'late', '`timeoutMs`'],
    ['baseURL', 'http://elsewhere/', '`baseUrl` beside `http`'],
    ['baseUrl', 'http://elsewhere/', '`baseUrl` beside `http`'],
    ['url', 'http://elsewhere/', '`baseUrl` beside `http`'],
    ['params', { tenant: '7' }, '`http.headers`'],
    ['paramsSerializer', {}, '`http.headers`'],
    ['method', 'GET', 'take it out'],
    ['data', '{}', 'take it out'],
    ['signal', AbortSignal.abort(), "the call's options"],
    ['maxBodyLength', 1_000, 'take it out'],
    ['httpVersion', 2, 'HTTP/1.1'],
    ['http2Options', {}, 'HTTP/1.1'],
    ['httpAgents', {}, 'did you mean `http.httpAgent`?'],
    ['fetchOptions', {}, 'does not exist'],
    ['env', {}, 'does not exist'],
    ['withCredentials', true, 'does not exist: write one of headers, adapter, httpAgent,'],
    ['constructor', {}, 'does not exist: write one of'],
  ])('refuses %s and says what to write instead', (name, value, instead) => {
    const message = problem({ [name]: value });
    expect(message).toContain(`Payments option \`http.${name}\``);
    expect(message).toContain(instead);
  });

  it('is read from the getters of a class', () => {
    class Shared {
      get proxy() {
        return { host: 'proxy', port: 3128 };
      }
    }
    class Slow {
      get timeout() {
        return 5_000;
      }
    }
    expect(resolveOptions({ ...valid, http: new Shared() }).http).toEqual({
      proxy: { host: 'proxy', port: 3128 },
    });
    expect(problem(new Slow())).toContain('`http.timeout`');
  });

  it('names every wrong name at once', () => {
    const message = problem({ timeout: 1, params: {}, httpAgents: {} });
    for (const name of ['http.timeout', 'http.params', 'http.httpAgents']) expect(message).toContain(name);
  });

  it('is an object', () => {
    expect(problem('http')).toContain('must be an object');
  });

  it("refuses auth beside auth: 'bearer', because both are the header Authorization", () => {
    const http = { auth: { username: 'u', password: 'p' } };
    expect(problem(http, { auth: 'bearer' })).toContain('`http.auth`');
    expect(problem({ auth: undefined }, { auth: 'bearer' })).toBe('');
    expect(problem({}, { auth: 'bearer' })).toBe('');
    const accounts = { resolve: () => undefined };
    const shared = { baseUrl: valid.baseUrl, auth: 'bearer', http, accounts };
    expect(() => resolveRegistration(shared, 'default')).toThrow('`http.auth`');
    const registration = resolveRegistration({ baseUrl: valid.baseUrl, http, accounts }, 'default');
    if (!('optionsOf' in registration)) throw new Error('It has no accounts.');
    expect(() => registration.optionsOf({ ...valid, auth: 'bearer' }, 'tenant-7')).toThrow('`http.auth`');
  });
});
