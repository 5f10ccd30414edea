import { expect, it } from 'vitest';
import { checkActor } from '../../../../lib/batches/batch/batch-actor.js';

it('leaves out of a name what nobody sees', () => {
  expect(checkActor({ by: ' jo\u200bhn\u2060 ' })).toBe('john');
});

it('takes a misspelled account for no default one, if it knows the other options', () => {
  const actor = { by: 'john', acount: undefined };
  expect(checkActor(actor)).toBe('john');
  expect(() => checkActor(actor, ['account'])).toThrow('acount does not exist: did you mean `account`?');
  expect(checkActor({ by: 'john', account: 'payouts' } as { by: string }, ['account'])).toBe('john');
});

it.each(['', ' ', '\u200b', ' \u2060\u3164 ', 'j'.repeat(256), 5])('takes %j for nobody', (by) => {
  expect(() => checkActor({ by })).toThrow('by must be a text of 1 to 255 characters');
});
