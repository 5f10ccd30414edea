import { describe, expect, it } from 'vitest';
import { optionErrors } from '../../../lib/errors/option-errors.js';
import { optionMessages, readAll, readEach, throwJoined } from '../../../lib/errors/wrong-options.js';
import { PaymentsConfigError } from '../../../lib/errors/payments-errors.js';

const error = optionErrors('default');
const fails = (option: string) => (): never => {
  throw error(option, 'is wrong: write it.');
};

function thrownBy(run: () => unknown): PaymentsConfigError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof PaymentsConfigError) return thrown;
  }
  throw new Error('no PaymentsConfigError was thrown');
}

describe('wrong options in one error', () => {
  it('leave the error of a single option as it is', () => {
    const only = error('baseUrl', 'is missing: write it.');
    expect(
      thrownBy(() => {
        throwJoined([only]);
      }),
    ).toBe(only);
    expect(optionMessages(only)).toEqual(['Payments option `baseUrl` is missing: write it.']);
  });

  it('are counted and listed, each on a line of its own', () => {
    const joined = thrownBy(() => {
      throwJoined([error('a', 'is wrong: write 1.'), error('b', 'is wrong: write 2.')]);
    });
    expect(joined.message).toBe(
      '2 options are wrong:\n- Payments option `a` is wrong: write 1.\n- Payments option `b` is wrong: write 2.',
    );
  });

  it('are listed once, although a section has joined them before', () => {
    const joined = thrownBy(() =>
      readAll({
        a: fails('a'),
        section: () => readEach([fails('b'), fails('c'), fails('b')]),
        right: () => 1,
      }),
    );
    expect(optionMessages(joined)).toEqual([
      'Payments option `a` is wrong: write it.',
      'Payments option `b` is wrong: write it.',
      'Payments option `c` is wrong: write it.',
    ]);
  });

  it('say nothing if every option is right', () => {
    throwJoined([]);
    expect(readAll({ a: () => 1, b: () => 'two' })).toEqual({ a: 1, b: 'two' });
    expect(readEach([() => 1, () => 2])).toEqual([1, 2]);
  });

  it('do not hide an error of another kind', () => {
    const bug = new TypeError('a bug');
    const throwBug = (): never => {
      throw bug;
    };
    expect(() => readAll({ a: fails('a'), b: throwBug })).toThrow(bug);
  });
});
