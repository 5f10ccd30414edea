import { SafeLogger } from '../common/safe-logger.js';
import { type RedisClient } from './redis-client.js';

/**
 * Warns where Redis may drop what the package stores. Stays silent where the server does not tell: a hosted one may
 * forbid the question.
 */
export async function warnOfEviction(client: Pick<RedisClient, 'info'>): Promise<void> {
  const policy = await policyOf(client).catch(() => '');
  if (!mayEvict(policy)) return;
  new SafeLogger('PaymentsStorage').warn(
    `Redis may drop payments and handled webhooks when its memory is full (maxmemory-policy ${policy}): a payment could be ` +
      'sent twice and a handler run twice. Set maxmemory-policy to noeviction, or use a Redis of its own.',
  );
}

async function policyOf(client: Pick<RedisClient, 'info'>): Promise<string> {
  return /^maxmemory_policy:([\w-]+)/m.exec(await client.info('memory'))?.[1] ?? '';
}

/** The `volatile-…` policies drop only keys with an expiry, and the package sets none. */
function mayEvict(policy: string): boolean {
  return policy.startsWith('allkeys-');
}
