/**
 * Stores payments and webhooks in Redis. Needs `ioredis`.
 *
 * @module nestjs-payments/redis
 */

export { type RedisClient } from './redis-client.js';
export { redisStorage } from './redis-storage.js';
export {
  type GivenRedisOptions,
  type OwnRedisOptions,
  type RedisKeyOptions,
  type RedisStorageOptions,
} from './redis-storage-options.js';
