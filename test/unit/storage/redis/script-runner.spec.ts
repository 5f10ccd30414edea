import { describe, expect, it, vi } from 'vitest';
import { type RedisClient } from '../../../../lib/storage/redis/redis-client.js';
import { ScriptRunner } from '../../../../lib/storage/redis/script-runner.js';

const SCRIPT = { source: 'return 1', sha1: 'e0e1f9fabfc9d4800c877a703b823ac0578ff831' };
const KEYS = ['key'];
const ARGS = ['secret'];

const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

function clientThat(evalsha: () => Promise<unknown>, status = 'ready') {
  return {
    status,
    eval: vi.fn(() => Promise.resolve('by its source')),
    evalsha: vi.fn(evalsha),
    info: () => Promise.resolve(''),
  } satisfies RedisClient;
}

describe('a script', () => {
  it('is run by its name', async () => {
    const client = clientThat(() => Promise.resolve('by its name'));
    expect(await new ScriptRunner(client).run(SCRIPT, KEYS, ARGS)).toBe('by its name');
    expect(client.evalsha.mock.calls).toEqual([[SCRIPT.sha1, 1, 'key', 'secret']]);
    expect(client.eval).not.toHaveBeenCalled();
  });

  it('is run by its source if the server does not know it', async () => {
    const client = clientThat(() => Promise.reject(refusal('NOSCRIPT No matching script.')));
    expect(await new ScriptRunner(client).run(SCRIPT, KEYS, ARGS)).toBe('by its source');
    expect(client.eval.mock.calls).toEqual([[SCRIPT.source, 1, 'key', 'secret']]);
  });

  it.each(['ERR out of secret', 'Command timed out', 'Connection is closed.'])(
    'may have run, and is not run again, after %s',
    async (message) => {
      const client = clientThat(() => Promise.reject(refusal(message)));
      const run = new ScriptRunner(client).run(SCRIPT, KEYS, ARGS);
      await expect(run).rejects.toMatchObject({
        name: 'PaymentsStorageError',
        message: expect.not.stringContaining('secret') as unknown,
      });
      expect(client.eval).not.toHaveBeenCalled();
    },
  );

  it.each(['reconnecting', 'close'])('is not sent while the client is in the state %s', async (status) => {
    const client = clientThat(() => Promise.resolve('late'), status);
    await expect(new ScriptRunner(client).run(SCRIPT, KEYS, ARGS)).rejects.toThrow('reconnecting');
    expect(client.evalsha).not.toHaveBeenCalled();
  });
});
