import { describe, expect, it, vi } from 'vitest';
import { runBatch } from '../../../../lib/storage/postgres/statement-batch.js';
import { type PostgresClient } from '../../../../lib/storage/postgres/postgres-pool.js';

/** What a client of `pg` calls. */
interface Batch {
  callback: (error?: unknown) => void;
  submit(connection: object): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
}

const STATEMENTS = ['a', 'b'].map((name) => ({ name, text: name, values: [] }));

/** A client whose server says what the test says. */
class ScriptedClient {
  readonly sent: string[] = [];
  batch!: Batch;

  query(batch: Batch): void {
    this.batch = batch;
    const send = (what: string) => (): void => void this.sent.push(what);
    const [close, parse, bind, describe_, execute, sync] = 'CPBDES'.split('').map(send);
    batch.submit({ stream: {}, close, parse, bind, describe: describe_, execute, sync });
  }

  run(): ReturnType<typeof runBatch> {
    this.sent.length = 0;
    return runBatch(this as unknown as PostgresClient, STATEMENTS);
  }

  answer(count: number): void {
    for (let done = 0; done < count; done += 1) {
      this.batch.handleRowDescription({ fields: [{ name: 'number' }] });
      this.batch.handleDataRow({ fields: [String(done)] });
      this.batch.handleCommandComplete({ text: 'SELECT 1' });
    }
  }
}

describe('a batch of statements', () => {
  it('has a result for each after its commit, and not before', async () => {
    const client = new ScriptedClient();
    const ended = vi.fn();
    const running = client.run();
    void running.then(ended);
    client.answer(2);
    await Promise.resolve();
    expect(ended).not.toHaveBeenCalled();
    client.batch.handleReadyForQuery();
    expect(await running).toEqual(['0', '1'].map((number) => ({ rows: [{ number }], rowCount: 1 })));
    expect(client.sent.join('')).toBe('CPBDECPBDES');
  });

  it('is in doubt if the server is ready and has not answered all', async () => {
    const client = new ScriptedClient();
    const running = client.run();
    client.answer(1);
    client.batch.handleReadyForQuery();
    await expect(running).rejects.toThrow('did not answer every statement');
  });

  it('tells a wrapper of its callback of its end, once', async () => {
    const client = new ScriptedClient();
    const failing = client.run();
    client.batch.callback = vi.fn();
    const error = new Error('refused');
    client.batch.handleError(error);
    client.batch.handleError(new Error('Query read timeout'));
    client.batch.handleReadyForQuery();
    await expect(failing).rejects.toBe(error);
    expect(client.batch.callback).toHaveBeenCalledExactlyOnceWith(error);
  });

  it('parses what the connection knows only again after an error, and not after a time limit that comes too late', async () => {
    const client = new ScriptedClient();
    const first = client.run();
    client.answer(2);
    client.batch.handleReadyForQuery();
    client.batch.handleError(new Error('Query read timeout'));
    await first;
    const second = client.run();
    expect(client.sent.join('')).toBe('BDEBDES');
    client.batch.handleError(new Error('refused'));
    await expect(second).rejects.toThrow('refused');
    void client.run();
    expect(client.sent.join('')).toBe('CPBDECPBDES');
  });
});
