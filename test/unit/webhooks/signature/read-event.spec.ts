import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readEvent } from '../../../../lib/webhooks/signature/read-event.js';

const data = { reference: 'order-1', amount: '10.00', currency: 'TZS', status: 'success' };

function read(change: object = {}, dataChange: object = {}) {
  return readEvent(
    Buffer.from(JSON.stringify({ event: 'payment.success', data: { ...data, ...dataChange }, ...change })),
  );
}

describe('readEvent()', () => {
  it('takes an event with nothing but the required fields', () => {
    expect(read()).toEqual({ event: { event: 'payment.success', data } });
  });

  it('keeps unknown, null and nested fields as they came', () => {
    const more = { customer_name: null, metadata: { a: [1, { b: null }] }, new_field: 1.5 };
    expect(read({ created_at: null, v: 2 }, more)).toEqual({
      event: { event: 'payment.success', created_at: null, v: 2, data: { ...data, ...more } },
    });
  });

  it.each([
    ['10', '10.00'],
    ['10.5', '10.50'],
    [10, '10.00'],
    [10.55, '10.55'],
    [0, '0.00'],
  ])('reads the amount %p as %p', (amount, text) => {
    expect(read({}, { amount })).toMatchObject({ event: { data: { amount: text } } });
  });

  it.each([
    [{ event: '' }, {}, 'event'],
    [{ event: 7 }, {}, 'event'],
    [{ data: [] }, {}, 'data'],
    [{ data: null }, {}, 'data'],
    [{}, { reference: undefined }, 'data.reference'],
    [{}, { reference: 12 }, 'data.reference'],
    [{}, { reference: ' ' }, 'data.reference'],
    [{}, { reference: 'é'.repeat(128) }, 'data.reference'],
    [{}, { amount: undefined }, 'data.amount'],
    [{}, { amount: '10.001' }, 'data.amount'],
    [{}, { amount: '1,000.00' }, 'data.amount'],
    [{}, { amount: -1 }, 'data.amount'],
    [{}, { amount: 1e21 }, 'data.amount'],
    [{}, { amount: null }, 'data.amount'],
    [{}, { currency: 5 }, 'data.currency'],
    [{}, { status: null }, 'data.status'],
    [{ event: 'x'.repeat(256) }, {}, 'event'],
    [{}, { reference: 'order\u00001' }, 'data.reference'],
    [{}, { reference: 'order-\ud800' }, 'data.reference'],
    [{}, { status: 's'.repeat(256) }, 'data.status'],
    [{}, { currency: 'TZS\u0000' }, 'data.currency'],
  ])('refuses %j with data %j', (change, dataChange, field) => {
    expect(read(change, dataChange)).toEqual({ status: 422, problem: `${field} is missing or malformed` });
  });

  it('refuses bytes that are not UTF-8, also inside a text', () => {
    const text = JSON.stringify({ event: 'payment.success', data: { ...data, reference: '\u00ff' } });
    expect(readEvent(Buffer.from(text, 'latin1'))).toMatchObject({ status: 400 });
  });

  it.each([
    ['objects', '{"a":', '}'],
    ['lists', '[', ']'],
  ])('follows %s to a hundred levels and refuses any more, however many', (_what, open, close) => {
    const nested = (levels: number) =>
      readEvent(
        Buffer.from(
          `{"event":"payment.success","data":${JSON.stringify(data)},"more":${open.repeat(levels - 2)}{}${close.repeat(levels - 2)}}`,
        ),
      );
    expect(nested(100)).toHaveProperty('event.more');
    for (const levels of [101, 10_000, 200_000]) {
      expect(nested(levels)).toEqual({ status: 400, problem: 'the body is nested too deeply' });
    }
  });

  it('takes an own __proto__ out at every depth, and leaves what only looks like one', () => {
    const text = JSON.stringify({ event: 'payment.success', data }).replace(
      '{',
      '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"list":[{"__proto__":null,"y":2}],',
    );
    expect(readEvent(Buffer.from(text))).toEqual({
      event: {
        event: 'payment.success',
        data,
        constructor: { prototype: { x: 1 } },
        list: [{ y: 2 }],
      },
    });
    const { event } = readEvent(Buffer.from(text)) as { readonly event: object };
    expect(Object.hasOwn(event, '__proto__')).toBe(false);
    expect({}).not.toHaveProperty('x');
  });

  it('takes a reference in any writing, an emoji included', () => {
    expect(read({}, { reference: 'oda-ñ-注文-🛒' })).toHaveProperty('event');
  });

  it('takes a reference of 255 bytes', () => {
    expect(read({}, { reference: 'x'.repeat(255) })).toHaveProperty('event');
  });

  it('never throws, whatever the bytes are', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const result = readEvent(bytes);
          return 'event' in result || result.problem !== '';
        },
      ),
    );
  });
});
