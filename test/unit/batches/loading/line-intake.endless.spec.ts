import { expect, it } from 'vitest';
import { LineIntake } from '../../../../lib/batches/loading/line-intake.js';
import { type BatchStore } from '../../../../lib/storage/batch-store.js';

function* endless(): Generator {
  for (;;) yield { problems: [] };
}

it('a source of lines that never ends is not read forever', async () => {
  const intake = new LineIntake(
    {
      scope: { account: 'default', environment: 'sandbox' },
      store: {} as BatchStore,
      storedHashes: (hash) => [hash],
    },
    'load',
  );
  // Five million awaits take a minute in a process that follows asynchronous calls, as that of other specs does.
  Reflect.set(intake, 'lines', 4_999_000);
  await expect(intake.takeAll(endless())).rejects.toMatchObject({
    errors: { lines: ['there are more than 5000000 lines: load them as several batches'] },
  });
  expect(Reflect.get(intake, 'lines')).toBe(5_000_001);
});
