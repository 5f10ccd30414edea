import { describe, expect, it } from 'vitest';
import {
  callOptionErrors,
  optionErrors,
  refuseUnknown,
  unknownOptions,
} from '../../../lib/errors/option-errors.js';

const NAMES = ['keyPrefix', 'client'];
const error = callOptionErrors('redisStorage()');
const of = (written: readonly string[], names = NAMES, path = ''): readonly string[] =>
  unknownOptions(written, names, path, error).map(({ message }) => message);

describe('an option that does not exist', () => {
  it('is refused with the name that is meant', () => {
    expect(of(['keyPrefx', 'client'])).toEqual([
      'The option `keyPrefx` of redisStorage() does not exist: did you mean `keyPrefix`?',
    ]);
    expect(of(['clinet'], NAMES, 'redis')).toEqual([
      'The option `redis.clinet` of redisStorage() does not exist: did you mean `redis.client`?',
    ]);
  });

  it('is refused with every name, if none is close', () => {
    expect(of(['host', 'client', 'port'])).toEqual([
      'The option `host` of redisStorage() does not exist, nor do `port`: write one of keyPrefix, client.',
    ]);
    expect(of(['host'], ['client'])).toEqual([
      'The option `host` of redisStorage() does not exist: write client.',
    ]);
  });

  it('is refused with every other one, and also if it has no value', () => {
    expect(() => {
      refuseUnknown({ clinet: undefined, client: {}, port: undefined }, NAMES, optionErrors('shop'));
    }).toThrow(
      '2 options are wrong:\n' +
        '- Payments option `clinet` of account "shop" does not exist: did you mean `client`?\n' +
        '- Payments option `port` of account "shop" does not exist: write one of keyPrefix, client.',
    );
  });

  it.each([undefined, null, 'client', ['client'], 5])('is not in what is no object: %j', (options) => {
    refuseUnknown(options, NAMES, error);
  });
});
