import { expect, it } from 'vitest';
import { setImmediate } from 'node:timers/promises';
import { type Dispatcher } from 'undici';
import { UndiciTransport } from '../../../../lib/gateway/http/undici-transport.js';

const REQUEST = {
  method: 'GET',
  origin: 'http://127.0.0.1:1',
  path: '/',
  headers: {},
  body: undefined,
} as const;

it('hands a call that follows an answer on once the connection of that answer can be used again', async () => {
  const handlers: Dispatcher.DispatchHandler[] = [];
  const dispatch: Dispatcher['dispatch'] = (_options, handler) => handlers.push(handler) > 0;
  const carrier = new UndiciTransport({ dispatch } as Dispatcher);
  const first = carrier.send(REQUEST);
  expect(handlers).toHaveLength(1);
  const controller = {} as Dispatcher.DispatchController;
  handlers[0]?.onResponseStart?.(controller, 200, {}, 'OK');
  handlers[0]?.onResponseEnd?.(controller, {});
  await first.answer;
  carrier.send(REQUEST);
  carrier.send(REQUEST);
  expect(handlers).toHaveLength(1);
  await setImmediate();
  await setImmediate();
  expect(handlers).toHaveLength(3);
  carrier.send(REQUEST);
  expect(handlers).toHaveLength(4);
});
