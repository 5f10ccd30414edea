import { describe, expect, it } from 'vitest';
import { type NamedHandler, nameWarnings } from '../../../../lib/webhooks/handlers/handler-names.js';

class Orders {
  paid(): void {}
  failed(): void {}
}

/** Another class of the same name, as two files or a bundler may have them. */
const namesake = (name: string): object => ({ constructor: { name } });

function handler(prototype: object, method: string, id?: string): NamedHandler {
  const place = { prototype, method, host: undefined as never };
  return { place, step: { name: id ?? `${prototype.constructor.name}.${method}` } };
}

describe('nameWarnings()', () => {
  it.each<[string, readonly NamedHandler[]]>([
    ['no handler', []],
    ['two methods', [handler(Orders.prototype, 'paid'), handler(Orders.prototype, 'failed')]],
    [
      'namesakes with ids',
      [handler(Orders.prototype, 'paid', 'a'), handler(namesake('Orders'), 'paid', 'b')],
    ],
    ['a shortened name with an id', [handler(namesake('t'), 'paid', 'orders.paid')]],
    ['a name of three letters', [handler(namesake('Box'), 'paid')]],
  ])('says nothing of %s', (_what, handlers) => {
    expect(nameWarnings(handlers)).toEqual([]);
  });

  it.each<[string, RegExp, readonly NamedHandler[]]>([
    [
      'one class in two providers',
      /^Orders\.paid was found in more than one provider/,
      [handler(Orders.prototype, 'paid'), handler(Orders.prototype, 'paid')],
    ],
    [
      'two classes of one name',
      /^2 handlers share the name 'Orders\.paid' \(Orders\.paid, Orders\.paid\)/,
      [handler(Orders.prototype, 'paid'), handler(namesake('Orders'), 'paid')],
    ],
    [
      'one id for two methods of a class',
      /^2 handlers share the name 'orders' \(Orders\.paid, Orders\.failed\)/,
      [handler(Orders.prototype, 'paid', 'orders'), handler(Orders.prototype, 'failed', 'orders')],
    ],
    [
      'one class twice, and a namesake',
      /^3 handlers share the name 'Orders\.paid'/,
      [
        handler(Orders.prototype, 'paid'),
        handler(Orders.prototype, 'paid'),
        handler(namesake('Orders'), 'paid'),
      ],
    ],
    [
      'shortened names',
      /the handlers t\.paid, \$a\.sent, \.heard:/,
      [
        handler(namesake('t'), 'paid'),
        handler(namesake('$a'), 'sent'),
        handler(namesake(''), 'heard'),
        handler(Orders.prototype, 'paid'),
      ],
    ],
  ])('says one sentence of %s', (_what, sentence, handlers) => {
    expect(nameWarnings(handlers)).toEqual([expect.stringMatching(sentence)]);
  });
});
