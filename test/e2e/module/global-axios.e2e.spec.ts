import { HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import { type AxiosInstance, type AxiosStatic } from 'axios';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  DisbursementsService,
  getPaymentsToken,
  PaymentsModule,
  type PaymentsModuleOptions,
} from 'nestjs-payments';
import { bankRecord, bankRequest, envelope } from '../../support/gateway-answers.js';
import { API_KEY, API_SECRET, WAYS } from '../../support/merchant.js';
import { json, type MisbehavingGateway, startMisbehavingGateway } from '../../support/misbehaving-gateway.js';

type Defaults = AxiosInstance['defaults'];

/** The axios that all modules of a process share. Applications set it up for their other services. */
const { axiosRef: axios } = new HttpService();
const { Axios } = axios as AxiosStatic;

const OF_THE_CRM: readonly (readonly [string, (defaults: Defaults) => void])[] = [
  ['a common header', ({ headers }) => (headers.common['Authorization'] = 'Bearer of-the-crm')],
  ['a header of a method', ({ headers }) => (headers.post['Content-Type'] = 'text/x-crm')],
  ['a header', ({ headers }) => (headers['X-Tenant'] = 'acme')],
  ['no groups of headers', (defaults) => Object.assign(defaults, { headers: undefined })],
  ['params', (defaults) => (defaults.params = { crm: 'token' })],
  ['a serializer', (defaults) => (defaults.paramsSerializer = () => 'crm=token')],
  ['a user', (defaults) => (defaults.auth = { username: 'crm', password: 'of-the-crm' })],
  ['an address', (defaults) => (defaults.baseURL = 'http://127.0.0.1:1/crm')],
  ['a time limit', (defaults) => (defaults.timeout = 1)],
  ['a proxy', (defaults) => (defaults.proxy = { host: '127.0.0.1', port: 1 })],
  ['a way to write', (defaults) => (defaults.transformRequest = () => 'crm')],
  ['a way to read', (defaults) => (defaults.transformResponse = () => 'crm')],
  ['an adapter', (defaults) => (defaults.adapter = () => Promise.reject(new Error('crm')))],
  ['no good status', (defaults) => (defaults.validateStatus = () => false)],
  ['a limit of bodies', (defaults) => (defaults.maxBodyLength = 1)],
];

let gateway: MisbehavingGateway;
let pristine: Defaults;

beforeEach(async () => {
  gateway = await startMisbehavingGateway();
  gateway.answer(json(envelope(bankRecord)));
  pristine = withOwnHeaders(axios.defaults);
});
afterEach(async () => {
  replace(axios.defaults, pristine);
  vi.restoreAllMocks();
  await gateway.close();
});

function withOwnHeaders(defaults: Defaults): Defaults {
  const groups = Object.entries(defaults.headers).map(([name, group]) => [name, { ...(group as object) }]);
  return { ...defaults, headers: Object.fromEntries(groups) as Defaults['headers'] };
}

function replace(target: object, source: object): void {
  for (const name of Object.keys(target)) Reflect.deleteProperty(target, name);
  Object.assign(target, source);
}

/** Pays once. Gives what came of it, and how often axios was asked to send. */
async function pay(
  way: (typeof WAYS)[number],
  http: NonNullable<PaymentsModuleOptions['http']> = {},
): Promise<{ readonly result: unknown; readonly byAxios: number }> {
  const send = vi.spyOn(Axios.prototype, 'request');
  const { baseUrl } = gateway;
  const payments = PaymentsModule.forRoot({ apiKey: API_KEY, apiSecret: API_SECRET, baseUrl, http });
  const module = await Test.createTestingModule({ imports: [payments] }).compile();
  await module.init();
  if (way === 'through axios') module.get<HttpService>(getPaymentsToken(HttpService)).axiosRef.getUri();
  const result: unknown = await module
    .get(DisbursementsService)
    .bank(bankRequest, { idempotencyKey: 'key-1' })
    .catch((error: unknown) => error);
  await module.close();
  const byAxios = send.mock.calls.length;
  send.mockRestore();
  return { result, byAxios };
}

describe("what the application set in everybody's axios", () => {
  describe.each(WAYS)('does not reach a payment that goes %s', (way) => {
    it.each(OF_THE_CRM)('%s', async (_, set) => {
      const before = await pay(way);
      set(axios.defaults);
      expect(await pay(way)).toEqual(before);
      expect(before).toMatchObject({
        result: { status: 'processing' },
        byAxios: way === 'straight' ? 0 : 1,
      });
      expect(gateway.seen[1]).toEqual(gateway.seen[0]);
    });
  });

  it.each(OF_THE_CRM)("does not reach a payment by axios' own adapter: %s", async (_, set) => {
    const http = { family: 4 } as const;
    const before = await pay('straight', http);
    set(axios.defaults);
    expect(await pay('straight', http)).toEqual(before);
    expect(before).toMatchObject({ result: { status: 'processing' }, byAxios: 1 });
    expect(gateway.seen[1]).toEqual(gateway.seen[0]);
  });

  it('leaves the default headers of the option `http` alone', async () => {
    axios.defaults.headers.common['X-Tenant'] = 'acme';
    const http = { headers: { 'X-Partner': 'p', common: { 'X-Region': 'r' } } } as object;
    expect(await pay('straight', http)).toMatchObject({ byAxios: 1 });
    expect(gateway.seen[0]?.headers).toMatchObject({ 'x-partner': 'p', 'x-region': 'r' });
    expect(gateway.seen[0]?.headers).not.toHaveProperty('x-tenant');
  });
});
