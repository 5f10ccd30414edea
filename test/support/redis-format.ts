import { type RedisClient } from 'nestjs-payments/redis';
import { FormatCheck } from '../../lib/storage/redis/format-check.js';
import { RedisAccounts } from '../../lib/storage/redis/redis-accounts.js';
import { RedisKeys } from '../../lib/storage/redis/redis-keys.js';
import { ScriptRunner } from '../../lib/storage/redis/script-runner.js';

/** Checks and claims the format of the default account, as a build of the package with this format does at its first call. */
export function claimFormat(
  client: RedisClient,
  keyPrefix: string,
  format: { readonly version: number; readonly compatibleFrom: number },
): Promise<void> {
  const scripts = new ScriptRunner(client);
  const keys = new RedisKeys(keyPrefix);
  const check = new FormatCheck(scripts, keys, new RedisAccounts(client, scripts, keys), format);
  return check.of({ account: 'default', environment: 'sandbox' });
}
