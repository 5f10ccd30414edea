import { type RedisClient } from 'nestjs-payments/redis';
import { FormatCheck } from '../../lib/storage/redis/format-check.js';
import { RedisKeys } from '../../lib/storage/redis/redis-keys.js';
import { ScriptRunner } from '../../lib/storage/redis/script-runner.js';

/** Checks and claims the format of the default account, as a build of the package with this format does at its first call. */
export function claimFormat(
  client: RedisClient,
  keyPrefix: string,
  format: { readonly version: number; readonly compatibleFrom: number },
): Promise<void> {
  const check = new FormatCheck(new ScriptRunner(client), new RedisKeys(keyPrefix), format);
  return check.of({ account: 'default', environment: 'sandbox' });
}
