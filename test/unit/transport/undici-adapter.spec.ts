import { expect, it } from '@jest/globals';
import axios, { type AxiosInstance } from 'axios';
import { getEventListeners } from 'node:events';
import { type OutgoingRequest } from '../../../lib/transport/carrier.js';
import { undiciAdapter } from '../../../lib/transport/undici.adapter.js';
import { type UndiciCarrier } from '../../../lib/transport/undici.carrier.js';

const URL = 'http://127.0.0.1:1/a%20b?reference=c%26d';

/** An axios whose requests nobody sends. */
function subject(answer: Promise<unknown> = Promise.resolve({ data: '', status: 200, headers: {} })): {
  client: AxiosInstance;
  carried: OutgoingRequest[];
} {
  const carried: OutgoingRequest[] = [];
  const carrier = {
    carry: (request: OutgoingRequest) => {
      carried.push(request);
      return { answer, giveUp: () => undefined };
    },
  };
  return { client: axios.create({ adapter: undiciAdapter(carrier as unknown as UndiciCarrier) }), carried };
}

it('hands on what axios made of a request', async () => {
  const { client, carried } = subject();
  await client.post(URL, '{}', { headers: { 'X-One': '1' } });
  expect(carried).toEqual([
    {
      method: 'POST',
      origin: 'http://127.0.0.1:1',
      path: '/a%20b?reference=c%26d',
      headers: expect.objectContaining({ 'X-One': '1' }) as unknown,
      body: '{}',
    },
  ]);
});

it('sends nothing that was given up before an adapter above it let it through', async () => {
  const { client, carried } = subject();
  const below = client.defaults.adapter as (config: unknown) => Promise<never>;
  const controller = new AbortController();
  client.defaults.adapter = (config) => {
    controller.abort();
    return below(config);
  };
  await expect(client.get(URL, { signal: controller.signal })).rejects.toThrow('canceled');
  expect(carried).toEqual([]);
});

it.each([
  ['an answer', () => undefined],
  ['a failure', () => Promise.reject(new Error('reset'))],
])('listens to a signal no longer after %s', async (_, answer) => {
  const { client } = subject(answer());
  const { signal } = new AbortController();
  await client.get(URL, { signal }).catch(() => undefined);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
