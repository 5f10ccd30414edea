import { expect, it } from 'vitest';
import { noteAnswers } from '../../../../../lib/cli/conformance/webhooks/asked-references.js';
import { type AskedReference } from '../../../../../lib/cli/conformance/webhooks/webhooks-heard.js';
import { accepted, LOST, refused } from '../../../../support/conformance-answers.js';

const REFERENCES = ['new', 'old', 'refused', 'lost', 'lost before', 'new', 'unsent'];

it('what was accepted now is told from what the journal knew, and from what may not have been accepted', () => {
  const asked = new Map<string, AskedReference>(
    REFERENCES.map((reference) => [reference, { ending: 'other', accepted: 'unknown' }]),
  );
  noteAnswers(asked, REFERENCES, [
    { answer: accepted({}), isNew: true },
    { answer: accepted({}) },
    { answer: refused('INVALID_BANK'), isNew: true },
    { answer: LOST, isNew: true },
    { answer: LOST },
    // The reference of the first request again: it stays a new one.
    { answer: refused('DUPLICATE_REQUEST') },
  ]);
  expect([...asked].map(([reference, known]) => [reference, known.accepted])).toEqual([
    ['new', 'now'],
    ['old', 'earlier'],
    ['refused', 'unknown'],
    ['lost', 'unknown'],
    ['lost before', 'earlier'],
    ['unsent', 'unknown'],
  ]);
});
