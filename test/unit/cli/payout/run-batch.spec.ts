import { expect, it, vi } from 'vitest';
import { type PayoutSession } from '../../../../lib/cli/payout/payout-session.js';
import { runBatch } from '../../../../lib/cli/payout/run-batch.js';
import { PaymentsStorageError } from '../../../../lib/errors/payments-errors.js';

it('a run whose end cannot be read says that lines may have been sent, and how to continue', async () => {
  const said: string[] = [];
  const say = (line: string): unknown => said.push(line);
  const batch = {
    name: '2026-11',
    progress: vi
      .fn()
      .mockResolvedValueOnce({ state: 'approved' })
      .mockRejectedValue(new PaymentsStorageError('The storage does not answer.')),
    start: () => Promise.resolve(),
    watch: async function* () {},
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
  expect(await runBatch(session)).toBe(4);
  expect(said).toEqual([
    'The storage does not answer.',
    'Lines may have been sent: pay none of them another way. To continue:',
    '  npx nestjs-payments payout 2026-11 --run --by "john doe" --schema pay',
  ]);
});
