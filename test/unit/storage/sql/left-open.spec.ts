import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isInTransaction, takeFree } from '../../../../lib/storage/sql/left-open.js';

/** What a client of `pg` shows, as far as it is read. */
class Client extends EventEmitter {
  readyForQuery = true;
  status: string | null = 'I';
  getTransactionStatus(): string | null {
    return this.status;
  }
}

describe('the transaction of a connection', () => {
  it.each([
    ['I', false],
    ['T', true],
    ['E', true],
    [null, false],
  ])('is open at the status %s: %s', (status, isOpen) => {
    expect(isInTransaction(Object.assign(new Client(), { status }))).toBe(isOpen);
  });

  it('is read from what the server says, if the client of pg does not keep it', () => {
    const connection = new EventEmitter();
    const client = { connection };
    expect(isInTransaction(client)).toBe(false);
    connection.emit('readyForQuery', { status: 'T' });
    expect(isInTransaction(client)).toBe(true);
    connection.emit('readyForQuery', undefined);
    expect(isInTransaction(client)).toBe(false);
    expect(connection.listenerCount('readyForQuery')).toBe(1);
  });

  it('is unknown of a client that shows nothing, as the native one without a pg-native that can', () => {
    expect(isInTransaction({})).toBe(false);
    const native = {
      getTransactionStatus: () => {
        throw new TypeError('this.native.getTransactionStatus is not a function');
      },
    };
    expect(isInTransaction(native)).toBe(false);
  });
});

describe('taking a connection without a transaction', () => {
  const close = vi.fn((_client: Client) => Promise.resolve());
  const tell = vi.fn((_line: string) => undefined);
  const taken = (...clients: readonly Client[]): Promise<Client> => {
    const left = [...clients];
    const take = (): Promise<Client> => Promise.resolve(left.shift() ?? new Client());
    return takeFree({ dialect: 'postgres', take, close }, tell);
  };

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.clearAllMocks();
  });

  it('closes those that are in one', async () => {
    const [first, second, third] = [new Client(), new Client(), new Client()];
    first.status = 'T';
    second.status = 'E';
    expect(await taken(first, second, third)).toBe(third);
    expect(close.mock.calls).toEqual([[first], [second]]);
    expect(tell).toHaveBeenCalledWith(expect.stringContaining('came back with an open transaction'));
  });

  it.each(['drain', 'error', 'end'])('waits for a statement that still runs, until %s', async (event) => {
    const client = Object.assign(new Client(), { readyForQuery: false });
    const taking = taken(client);
    await vi.advanceTimersByTimeAsync(3_999);
    client.readyForQuery = true;
    client.emit(event);
    expect(await taking).toBe(client);
    expect(client.eventNames()).toEqual([]);
    expect(close).not.toHaveBeenCalled();
  });

  it('closes one whose statement has not ended after four seconds', async () => {
    const [hanging, next] = [Object.assign(new Client(), { readyForQuery: false }), new Client()];
    const taking = taken(hanging, next);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await taking).toBe(next);
    expect(close.mock.calls).toEqual([[hanging]]);
    expect(hanging.eventNames()).toEqual([]);
  });

  it('ends, if every new connection is in one', async () => {
    const take = (): Promise<Client> => Promise.resolve(Object.assign(new Client(), { status: 'T' }));
    await expect(takeFree({ dialect: 'postgres', take, close }, tell)).rejects.toThrow(
      '100 connections in a row came from the pool in a transaction, so nothing was written',
    );
    expect(close).toHaveBeenCalledTimes(100);
  });
});
