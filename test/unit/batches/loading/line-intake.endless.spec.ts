import { expect, it, vi } from 'vitest';
import { LineIntake } from '../../../../lib/batches/loading/line-intake.js';
import { type BatchStore } from '../../../../lib/storage/batch-store.js';

// Five million lines are read in a second if nothing looks at them.
vi.mock('../../../../lib/batches/lines/payout-line.js', async (original) => ({
  ...(await original<object>()),
  readLine: () => NO_LINE,
}));
const NO_LINE = vi.hoisted(() => ({ problems: [] }));

function* endless(): Generator {
  for (;;) yield NO_LINE;
}

it('a source of lines that never ends is not read for ever', async () => {
  const intake = new LineIntake(
    { scope: { account: 'default', environment: 'sandbox' }, store: {} as BatchStore },
    'load',
  );
  await expect(intake.takeAll(endless())).rejects.toMatchObject({
    errors: { lines: ['there are more than 5000000 lines: load them as several batches'] },
  });
}, 60_000);
