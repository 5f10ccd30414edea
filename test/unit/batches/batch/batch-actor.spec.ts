import { expect, it } from 'vitest';
import { checkActor } from '../../../../lib/batches/batch/batch-actor.js';

it('leaves out of a name what nobody sees', () => {
  expect(checkActor({ by: ' jo\u200bhn\u2060 ' })).toBe('john');
});

it.each(['', ' ', '\u200b', ' \u2060\u3164 ', 'j'.repeat(256), 5])('takes %j for nobody', (by) => {
  expect(() => checkActor({ by })).toThrow('by must be a text of 1 to 255 characters');
});
