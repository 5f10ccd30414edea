import { describe, expect, it } from 'vitest';
import { eventData } from '../../../../lib/cli/webhooks/event-data.js';

describe('the data of an event from the command line', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['amount=100.00'], { amount: '100.00' }],
    [['note=a=b:=c'], { note: 'a=b:=c' }],
    [['note='], { note: '' }],
    [['note=two\nlines'], { note: 'two\nlines' }],
    [['amount:=100.5', 'channel:=null'], { amount: 100.5, channel: null }],
    [['metadata.order=7', 'metadata.till.id:=2'], { metadata: { order: '7', till: { id: 2 } } }],
    [['metadata:={"a":1}', 'metadata.b=2'], { metadata: { a: 1, b: '2' } }],
    [['metadata=x', 'metadata.b=2'], { metadata: { b: '2' } }],
    [['constructor.name=x'], { constructor: { name: 'x' } }],
  ])('of %j is %j', (assignments, data) => {
    expect(eventData(assignments)).toEqual(data);
  });

  it.each(['amount', '=5', '.a=1', 'a..b=1', '__proto__.polluted=1', 'a.__proto__=1', 'amount:=12,5'])(
    'cannot be read from %j',
    (assignment) => {
      expect(() => eventData([assignment])).toThrow(/^--data/);
    },
  );
});
