import { ladder } from './ladder.mjs';

const ASIDE = 'set aside, then 200';

export default ladder({
  title: 'The way of a delivery',
  description:
    'A delivery passes these checks in order: size, encoding and type; the signature over the raw bytes; JSON and its fields; what the journal knows of the payment; the name of the event; what the inbox knows of the reference. Then a claim with lease and fence, and the handlers in turn. After all handlers it is recorded and answered 200. Each check has its own answer to a delivery that does not pass.',
  rungs: [
    {
      check: ['Size, encoding, type'],
      exits: [{ when: 'wrong', answer: ['413 or 415'], kind: 'bad' }],
    },
    { check: ['Signature', 'over the raw bytes'], exits: [{ when: 'wrong', answer: ['401'], kind: 'bad' }] },
    { check: ['JSON and its fields'], exits: [{ when: 'wrong', answer: ['400 or 422'], kind: 'bad' }] },
    {
      check: ['The journal', 'what it knows of this payment'],
      exits: [
        { when: 'other money: payment.mismatch', answer: [ASIDE], kind: 'open' },
        { when: 'nothing: unknownReferences', answer: ['200, set aside, or go on'], kind: 'open' },
      ],
    },
    {
      check: ['Event name'],
      exits: [{ when: 'unknown, and no handler for it', answer: [ASIDE], kind: 'open' }],
    },
    {
      check: ['The inbox', 'what it knows of this reference'],
      exits: [
        { when: 'the same outcome, done', answer: ['200'], kind: 'good' },
        { when: 'being handled right now', answer: ['503, Retry-After'], kind: 'bad' },
        { when: 'another one: payment.conflict', answer: [ASIDE], kind: 'open' },
      ],
    },
    {
      check: ['Claim, then your handlers', 'with lease and fence, in turn'],
      exits: [{ when: 'one throws', answer: ['500, delivered again'], kind: 'bad' }],
    },
    { check: ['Recorded, then 200'], kind: 'good', exits: [] },
  ],
});
