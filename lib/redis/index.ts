export { type RedisClient } from './redis-client.js';
export { redisStorage, type RedisStorageOptions } from './redis.storage.js';
