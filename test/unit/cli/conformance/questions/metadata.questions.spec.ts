import { describe, expect, it } from 'vitest';
import { conclude } from '../../../../../lib/cli/conformance/questions/conclude.js';
import { type KnownAnswer } from '../../../../../lib/cli/conformance/questions/step-answer.js';
import { accepted, questionNamed, wrong } from '../../../../support/conformance-answers.js';
import { ALL_INPUTS, planRun, WIDE_CAPS } from '../../../../support/conformance-run.js';

type Metadata = Readonly<Record<string, string>>;

const question = questionNamed('longest metadata');
const [planned] = planRun(ALL_INPUTS, WIDE_CAPS, [question]).questions;

/** Asks a gateway with this rule, and gives what was sent and what was found. */
function ask(takes: (metadata: Metadata) => boolean) {
  const sent: Metadata[] = [];
  const answers: KnownAnswer[] = [];
  for (let step = planned?.next?.([]); step; step = planned?.next?.(answers)) {
    const { metadata } = step.body as { readonly metadata: Metadata };
    sent.push(metadata);
    answers.push(takes(metadata) ? accepted() : wrong('metadata'));
  }
  expect(sent.length).toBeLessThanOrEqual(planned?.steps.length ?? 0);
  return { sent, found: conclude(question, answers, [])[0] };
}

const bytesOf = (metadata: Metadata) => JSON.stringify(metadata).length;

describe('the longest metadata', () => {
  it.each([64, 65, 255, 500, 4_096, 16_383])('is learnt of a gateway with a limit of %i bytes', (limit) => {
    const { sent, found } = ask((metadata) => bytesOf(metadata) <= limit);
    expect(found?.fact).toEqual({ name: question.name, value: limit });
    const control = sent.at(-1)!;
    expect([Object.keys(control).length, bytesOf(control)]).toEqual([2, limit + 1]);
    for (const text of Object.values(control)) expect(bytesOf({ note: text })).toBeLessThan(limit);
  });

  it.each([64, 500, 16_000])(
    'is no fact of a gateway with a limit of %i characters for each value',
    (limit) => {
      const { found } = ask((metadata) => Object.values(metadata).every((text) => text.length <= limit));
      expect(found).toMatchObject({ verdict: 'silent' });
      expect(found?.says).toContain('a limit for each value');
    },
  );

  it('asks nothing more of a gateway without a limit, or one that takes nothing', () => {
    expect(ask(() => true).sent).toHaveLength(1);
    expect(ask(() => false).sent).toHaveLength(5);
  });
});
