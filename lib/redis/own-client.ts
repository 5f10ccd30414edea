import { Redis } from 'ioredis';

/** How long a new connection, or an answer, may take. */
const SILENCE_MS = 5_000;

/**
 * A client that fails a call as soon as the connection is lost, instead of keeping it for later: nobody waits for it
 * then, and it must not run twice. It connects at its first call, so that a boot that fails leaves nothing open.
 */
export function ownClient(url: string): Redis {
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
  });
  // A lost connection fails the calls, and who made them reports it; without a listener ioredis prints it as well.
  client.on('error', () => {});
  return client;
}
