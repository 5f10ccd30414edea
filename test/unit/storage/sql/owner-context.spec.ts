import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it, vi } from 'vitest';
import { OwnerContext } from '../../../../lib/storage/sql/owner-context.js';

const [pool, other] = [{}, {}];

it('tells what the caller runs in, also after a wait', async () => {
  const context = new OwnerContext<object, string>();
  const seen = await context.run(pool, 'delivery', async () => {
    await Promise.resolve();
    return context.get(pool);
  });
  expect([seen, context.get(pool)]).toEqual(['delivery', undefined]);
});

it('keeps what another owner runs around it', () => {
  const context = new OwnerContext<object, string>();
  const seen = context.run(pool, 'delivery', () =>
    context.run(other, 'transaction', () => [context.get(pool), context.get(other)]),
  );
  expect(seen).toEqual(['delivery', 'transaction']);
});

it('tells the innermost of what one owner runs, also if that is nothing', () => {
  const context = new OwnerContext<object, string | undefined>();
  const seen = context.run(pool, 'outer', () => [
    context.run(pool, 'inner', () => context.get(pool)),
    context.run(pool, undefined, () => context.get(pool)),
    context.get(pool),
  ]);
  expect(seen).toEqual(['inner', undefined, 'outer']);
});

it('keeps nothing of what one owner began within its own work', () => {
  const context = new OwnerContext<object, number>();
  const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
  const turn = (value: number): void => {
    if (value < 3)
      context.run(pool, value, () => {
        turn(value + 1);
      });
  };
  context.run(other, -1, () => {
    turn(0);
  });
  const last: unknown = run.mock.calls.at(-1)?.[0];
  run.mockRestore();
  expect(last).toEqual({ owner: pool, value: 2, around: { owner: other, value: -1, around: undefined } });
});

it('uses one AsyncLocalStorage for all owners, because Node.js keeps each one that has run', () => {
  const context = new OwnerContext<object, number>();
  const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
  for (let owner = 0; owner < 3; owner += 1) context.run({}, owner, () => undefined);
  const storages = new Set(run.mock.contexts);
  run.mockRestore();
  expect(storages.size).toBe(1);
});
