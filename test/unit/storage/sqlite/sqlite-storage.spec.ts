import { afterEach, describe, expect, it, vi } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { sqliteStorage, type SqliteStorageOptions } from '../../../../lib/storage/sqlite/index.js';

const NO_FILE = "sqliteStorage({ file }) needs the path of a file: write for example 'data/payments.db'.";

describe('sqliteStorage()', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each<[string, unknown, string]>([
    ['no options', undefined, NO_FILE],
    ['the path itself', 'payments.db', NO_FILE],
    ['an empty path', { file: ' ' }, NO_FILE],
    ['a path with U+0000', { file: 'a\0b' }, NO_FILE],
    ['a database that is no file', { file: ':memory:' }, 'must be a path, not :memory:'],
    ['an address', { file: 'file:payments.db' }, 'must be a path, not file:pay'],
    [
      'a word for a switch',
      { file: 'payments.db', transactional: 'yes' },
      'The option transactional of sqliteStorage({ file }) must be true or false.',
    ],
    [
      'a mistyped option',
      { file: 'payments.db', transaction: true },
      'The option `transaction` of sqliteStorage({ file }) does not exist: did you mean `transactional`?',
    ],
    [
      'several mistakes',
      { path: 'payments.db', clock: undefined },
      `2 options are wrong:\n- ${NO_FILE}\n- The option \`path\` of sqliteStorage({ file }) does not exist, nor do \`clock\`: write one of file,`,
    ],
  ])('refuses %s, and says what to write', (_name, options, message) => {
    const open = (): unknown => sqliteStorage(options as SqliteStorageOptions);
    expect(open).toThrow(PaymentsConfigError);
    expect(open).toThrow(message);
  });

  it('names nothing of a path in place of the options', () => {
    const open = (): unknown => sqliteStorage('payments.db' as never);
    expect(open).toThrow(new PaymentsConfigError(NO_FILE));
  });

  it('says on a Node.js without SQLite which one has it', () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const open = (): unknown => sqliteStorage({ file: 'payments.db' });
    expect(open).toThrow(PaymentsConfigError);
    expect(open).toThrow(
      `sqliteStorage() needs the module node:sqlite, which Node.js ${process.version} does not have: run the application on ` +
        'Node.js 22.13 or newer, or choose another storage.',
    );
  });
});
