import { expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type ModulesContainer } from '@nestjs/core';
import { ApplicationEvents } from '../../../lib/common/application-events.js';

interface FakeModule {
  readonly metatype: { readonly name: string };
  readonly providers: Map<string, { readonly instance: unknown }>;
}

function moduleOf(name: string, ...instances: unknown[]): FakeModule {
  return {
    metatype: { name },
    providers: new Map(instances.map((instance, at) => [String(at), { instance }])),
  };
}

function emitter(): { readonly heard: unknown[][]; readonly onAny: () => void; emitAsync: unknown } {
  const heard: unknown[][] = [];
  return { heard, onAny: () => {}, emitAsync: (...told: unknown[]) => Promise.resolve(heard.push(told)) };
}

const ENTRY = { reference: 'order-1' } as never;

function started(modules: Map<string, FakeModule>): ApplicationEvents {
  const events = new ApplicationEvents('shop', modules as unknown as ModulesContainer);
  events.onApplicationBootstrap();
  return events;
}

it('tells the one provider that can do both that an EventEmitter2 can, with the account', () => {
  const found = emitter();
  const half = { emitAsync: () => Promise.reject(new Error('half')) };
  const other = { onAny: () => {}, emitAsync: 'no function' };
  const module = moduleOf('EventEmitterModule', null, 'text', half, other, found);
  started(new Map([['a', module]])).emit('payment.stale', ENTRY);
  expect(found.heard).toEqual([['payment.stale', ENTRY, { account: 'shop' }]]);
});

function touched(): never {
  throw new Error('touched');
}

it('tells no emitter that the application made for other things, and asks it nothing', () => {
  const own = emitter();
  const shy = new Proxy({}, { has: touched });
  started(new Map([['a', moduleOf('App', shy, own)]])).emit('payment.stale', ENTRY);
  expect(own.heard).toEqual([]);
});

it('looks into each module of that name: the application may have one of its own', () => {
  const real = emitter();
  const modules = new Map([
    ['a', moduleOf('EventEmitterModule')],
    ['b', moduleOf('EventEmitterModule', real)],
  ]);
  started(modules).emit('payment.stale', ENTRY);
  expect(real.heard).toHaveLength(1);
});

it.each([
  ['a proxy', new Proxy({}, { has: touched })],
  ['a getter', Object.defineProperty({}, 'emitAsync', { get: touched })],
])('passes over %s that throws when it is asked', (_, shy) => {
  const real = emitter();
  started(new Map([['a', moduleOf('EventEmitterModule', shy, real)]])).emit('payment.stale', ENTRY);
  expect(real.heard).toHaveLength(1);
});

it('looks again only once a module was loaded since it found none', () => {
  const found = emitter();
  const modules = new Map([['a', moduleOf('EventEmitterModule')]]);
  const events = started(modules);
  modules.get('a')!.providers.set('late', { instance: found });
  events.emit('payment.stale', ENTRY);
  expect(found.heard).toEqual([]);
  modules.set('lazy', moduleOf('Lazy'));
  events.emit('payment.stale', ENTRY);
  expect(found.heard).toHaveLength(1);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('the listener broke');
    },
    'the listener broke',
  ],
  ['rejects', () => Promise.reject(new Error('the listener broke')), 'the listener broke'],
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
  ['rejects with no error', () => Promise.reject('a secret'), 'a value that is not an Error was thrown'],
])('logs which event had a listener that %s, and does not throw', async (_, emitAsync, said) => {
  const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const events = started(new Map([['a', moduleOf('EventEmitterModule', { onAny: () => {}, emitAsync })]]));
  events.emit('payment.stale', ENTRY);
  await new Promise(setImmediate);
  expect(logged.mock.calls).toEqual([[`A listener of payment.stale failed: ${said}`]]);
  expect(logged.mock.contexts).toMatchObject([{ context: 'PaymentsEvents' }]);
  logged.mockRestore();
});

it('logs nothing if a module was loaded that brings no emitter either', async () => {
  const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const modules = new Map([['a', moduleOf('App')]]);
  const events = started(modules);
  modules.set('lazy', moduleOf('Lazy'));
  events.emit('payment.stale', ENTRY);
  await new Promise(setImmediate);
  expect(logged).not.toHaveBeenCalled();
  logged.mockRestore();
});
