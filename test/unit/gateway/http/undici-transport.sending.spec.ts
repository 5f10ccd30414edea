import { expect, it } from 'vitest';
import axios, { type AxiosInstance } from 'axios';
import { getEventListeners } from 'node:events';
import { type OutgoingRequest } from '../../../../lib/gateway/http/http-transport.js';
import {
  endWatch,
  sendWithin,
  watchSending,
  type SendWatch,
} from '../../../../lib/gateway/http/send-watch.js';
import { undiciAdapter, type UndiciTransport } from '../../../../lib/gateway/http/undici-transport.js';

const URL = 'http://127.0.0.1:1/a%20b?reference=c%26d';

/** An axios whose requests nobody sends. */
function subject(answer: Promise<unknown> = Promise.resolve({ data: '', status: 200, headers: {} })): {
  client: AxiosInstance;
  passed: OutgoingRequest[];
} {
  const passed: OutgoingRequest[] = [];
  const transport = {
    send: (request: OutgoingRequest) => {
      passed.push(request);
      return { answer, abort: () => undefined };
    },
  };
  return {
    client: axios.create({ adapter: undiciAdapter(transport as unknown as UndiciTransport) }),
    passed,
  };
}

const headers = { 'Idempotency-Key': 'its-key' };

function payment(signal: AbortSignal): SendWatch {
  const { origin, pathname, search } = new globalThis.URL(URL);
  return watchSending(signal, { method: 'POST', origin, path: pathname + search, headers, body: '{}' });
}

it('hands on what axios made of a request', async () => {
  const { client, passed } = subject();
  await client.post(URL, '{}', { headers: { 'X-One': '1' } });
  expect(passed).toEqual([
    {
      method: 'POST',
      origin: 'http://127.0.0.1:1',
      path: '/a%20b?reference=c%26d',
      headers: expect.objectContaining({ 'X-One': '1' }) as unknown,
      body: '{}',
    },
  ]);
});

it('answers with the request beside the response, as interceptors of an application read it', async () => {
  const { client } = subject();
  const { config } = await client.post(URL, '{}', { headers: { 'X-One': '1' } });
  expect(config).toMatchObject({ url: URL, data: '{}', headers: { 'X-One': '1' } });
});

it('sends nothing that was given up before an adapter above it let it through', async () => {
  const { client, passed } = subject();
  const below = client.defaults.adapter as (config: unknown) => Promise<never>;
  const controller = new AbortController();
  client.defaults.adapter = (config) => {
    controller.abort();
    return below(config);
  };
  await expect(client.get(URL, { signal: controller.signal })).rejects.toThrow('canceled');
  expect(passed).toEqual([]);
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

it('listens to the signal of the package as well if the application sets another one, and no longer than needed', async () => {
  const own = new AbortController();
  const other = new AbortController();
  let answer = (_: unknown): void => undefined;
  const { client, passed } = subject(new Promise((resolve) => (answer = resolve)));
  const sent = sendWithin(payment(own.signal), () =>
    client.post(URL, '{}', { headers, signal: other.signal }),
  );
  await expect.poll(() => passed).toHaveLength(1);
  // Axios listens to the signal that it knows.
  expect(getEventListeners(own.signal, 'abort')).toHaveLength(1);
  answer({ data: '', status: 200, headers: {} });
  await sent;
  for (const { signal } of [own, other]) expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('sends no payment once it is over, whatever signal it comes with', async () => {
  const { client, passed } = subject();
  const watch = payment(new AbortController().signal);
  endWatch(watch);
  const late = sendWithin(watch, () => client.post(URL, '{}', { headers }));
  await expect(late).rejects.toThrow('sent again after its end');
  expect(passed).toEqual([]);
});
