import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildChildProgram, type ChildProgram } from '../../support/child-program.js';
import { Answered, problemsOf, type Shown } from './answered.js';
import { runEmulatorKills } from './run-emulator-kills.js';

let program: ChildProgram;
beforeAll(async () => {
  program = await buildChildProgram('test/kill/emulator/emulator-process.ts', { startsOften: true });
});
afterAll(() => program.remove());

it('an emulator that is killed loses no answered change', async () => {
  const { problems, answered, webhooks } = await runEmulatorKills(program.file, 20, Date.now() % 2 ** 32);
  expect(problems).toEqual([]);
  expect(answered).toBeGreaterThan(20);
  expect(webhooks).toBeGreaterThan(0);
}, 180_000);

it('the comparison finds what is lost', () => {
  const answered = new Answered();
  for (const reference of ['one', 'two']) answered.payments.set(reference, `key-${reference}`);
  answered.approved.add('one');
  answered.payouts.set('three', 'key-three');
  answered.endpoints.add('endpoint-1');
  answered.now = 5_000;
  answered.secret = 'before';
  const shown: Shown = {
    payments: [{ reference: 'one', status: 'pending', amount: '100.00', fee: 2 }],
    payouts: [],
    endpoints: [],
    deliveries: [],
    balance: { balance: 1_000_001, available_balance: 1_000_000, locked_balance: 0 },
    now: '1970-01-01T00:00:04.000Z',
    secret: 'after',
  };
  expect(problemsOf(answered, shown)).toEqual([
    'payment two is lost',
    'payout three is lost',
    'approval of one is lost',
    'webhook of one is lost',
    'endpoint endpoint-1 is lost',
    'the clock went back to 1970-01-01T00:00:04.000Z',
    'the webhook secret changed',
    'the balance is 1000001 instead of 1000000',
    'the balance is not available and locked money',
  ]);
});
