import { describe, expect, it, vi } from 'vitest';
import { type SqliteHandle } from '../../../../lib/storage/sqlite/sqlite-engine.js';
import { guardTransaction } from '../../../../lib/storage/sqlite/transaction-guard.js';

function guarded(): { handle: SqliteHandle; exec: SqliteHandle['exec'] } {
  const exec = vi.fn();
  const handle = { exec, prepare: vi.fn(), close: vi.fn(), function: vi.fn() };
  guardTransaction(handle);
  return { handle, exec };
}

describe('the connection of a handler', () => {
  it.each([
    'COMMIT',
    'commit',
    ' END',
    'ROLLBACK',
    'rollback transaction',
    'BEGIN IMMEDIATE',
    'SELECT 1; COMMIT',
    '--\nEND',
  ])('refuses %j', (text) => {
    const { handle, exec } = guarded();
    expect(() => {
      handle.exec(text);
    }).toThrow('The webhook transaction ends after the handlers');
    expect(() => handle.prepare(text)).toThrow('The webhook transaction ends after the handlers');
    expect(exec).not.toHaveBeenCalled();
  });

  it.each([
    'ROLLBACK TO part',
    'ROLLBACK TRANSACTION TO SAVEPOINT part',
    'SAVEPOINT begin_part',
    "INSERT INTO notes VALUES ('a; COMMIT')",
    'SELECT 1 -- ; COMMIT',
    'SELECT [a; END] FROM "b; END"',
    'SELECT CASE WHEN 1 THEN 2 END',
  ])('runs %j', (text) => {
    const { handle, exec } = guarded();
    handle.exec(text);
    expect(exec).toHaveBeenCalledWith(text);
  });

  it('is not closed by a handler', () => {
    const { handle } = guarded();
    expect(() => {
      handle.close();
    }).toThrow('take close() out of the handler');
  });
});
