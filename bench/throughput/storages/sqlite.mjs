import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStorage } from 'nestjs-payments/sqlite';
import { Recorder } from '../recorder.mjs';
import { idsOfRows } from './sql-ids.mjs';

/** Files on the disk, which this process has for itself. */
export async function openStorage() {
  const { DatabaseSync } = await import('node:sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'payments-bench-'));
  const file = join(folder, 'payments.db');
  const storage = sqliteStorage({ file });
  const byHand = connectionByHand(new DatabaseSync(file));
  return {
    storage,
    record() {
      const recorder = new Recorder();
      const sample = listening(DatabaseSync.prototype, recorder, () =>
        sqliteStorage({ file: join(folder, 'sample.db') }),
      );
      return { recorder, storage: sample, close() {} };
    },
    target: byHand,
    clear: () => byHand.exec('DELETE FROM payments_journal; DELETE FROM payments_inbox'),
    close() {
      byHand.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Opens a storage whose connections take down what they are sent. */
function listening(prototype, recorder, open) {
  const { exec, prepare } = prototype;
  let inside;
  prototype.exec = function listen(text) {
    if (text === 'BEGIN IMMEDIATE') inside = recorder.enter();
    else if (text === 'COMMIT') recorder.leave(inside);
    else recorder.sent({ text }, Promise.resolve());
    return exec.call(this, text);
  };
  prototype.prepare = function listen(text) {
    const statement = prepare.call(this, text);
    const heard = (givesRows, params, answer) => {
      recorder.sent({ text, params, givesRows }, Promise.resolve(answer));
      return answer;
    };
    return {
      get: (...params) => heard(true, params, statement.get(...params)),
      all: (...params) => heard(true, params, statement.all(...params)),
      run: (...params) => heard(false, params, statement.run(...params)),
    };
  };
  try {
    return open();
  } finally {
    Object.assign(prototype, { exec, prepare });
  }
}

/** As the package opens it. One transaction at a time, since there is one connection. */
function connectionByHand(database) {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.function('payments_now', () => Date.now());
  const compiled = new Map();
  let turn = Promise.resolve();
  const transaction = async (work) => {
    database.exec('BEGIN IMMEDIATE');
    await work();
    database.exec('COMMIT');
  };
  return {
    exec: (text) => database.exec(text),
    close: () => database.close(),
    inside(work) {
      const done = turn.then(() => transaction(work));
      turn = done.catch(() => {});
      return done;
    },
    send(_, { text, params, givesRows }) {
      if (!params) return database.exec(text);
      if (!compiled.has(text)) compiled.set(text, database.prepare(text));
      return compiled.get(text)[givesRows ? 'all' : 'run'](...params);
    },
    idsOf: idsOfRows,
  };
}
