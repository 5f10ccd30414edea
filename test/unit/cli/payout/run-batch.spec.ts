import { expect, it, vi } from 'vitest';
import { type PayoutSession } from '../../../../lib/cli/payout/payout-session.js';
import { runBatch } from '../../../../lib/cli/payout/run-batch.js';
import { PaymentsStorageError } from '../../../../lib/errors/payments-errors.js';

const FAILS = new PaymentsStorageError('The storage does not answer.');

/** A session whose batch has begun, and cannot be watched or read to its end. */
function failingRun(progress: () => Promise<unknown>) {
  const said: string[] = [];
  const say = (line: string): unknown => said.push(line);
  const batch = {
    name: '2026-11',
    progress: vi.fn(progress).mockResolvedValueOnce({ state: 'approved' }),
    start: () => Promise.resolve(),
    // eslint-disable-next-line require-yield
    watch: async function* () {
      return Promise.reject(FAILS);
    },
  };
  const session = {
    args: { action: 'run', word: '2026-11', batch: '2026-11', by: 'john doe', values: { schema: 'pay' } },
    context: {
      folder: '/nowhere',
      terminal: { say, data: say, paint: (_look: string, text: string) => text },
      onSignal: () => () => undefined,
    },
    log: { say },
    batches: { open: () => Promise.resolve(batch) },
    engine: { begin: () => Promise.resolve(), close: () => Promise.resolve() },
  } as unknown as PayoutSession;
  return { session, said };
}

it('a run whose end cannot be read says that lines may have been sent, and how to continue', async () => {
  const { session, said } = failingRun(() => Promise.reject(FAILS));
  expect(await runBatch(session)).toBe(4);
  expect(said).toEqual([
    'The storage does not answer.',
    'Lines may have been sent: pay none of them another way. To continue:',
    '  npx nestjs-payments payout 2026-11 --run --by "john doe" --schema pay',
  ]);
});

it.each([
  [3, { unknown: { lines: 2, amount: '10.00' } }],
  [4, { accepted: { lines: 2, amount: '10.00' } }],
])('a run that an error ended has the exit code %d with %o', async (code, byState) => {
  const { session } = failingRun(() =>
    Promise.resolve({ state: 'running', byState, total: { lines: 3, amount: '15.00' } }),
  );
  expect(await runBatch(session)).toBe(code);
});
