import { type Redis } from 'ioredis';
import { setTimeout as pause } from 'node:timers/promises';
import { type Pool } from 'pg';

/** How the runner's own connections are named: all others are those of replicas, or of the network before them. */
export const RUNNER = 'kill-test-runner';
const AGAIN_AFTER_MS = 200;
/** Longer than a server keeps what a network has swallowed, on a slow machine. */
const GIVES_UP_AFTER_MS = 120_000;

/**
 * Resolves once nobody but the runner is connected: a server ends a connection only after everything that came by it. What a
 * dead process had sent is done then, however late it arrived.
 *
 * @param storage Where the runner is connected under its name.
 */
export async function othersGone(storage: Pool | Redis): Promise<void> {
  const giveUpAt = performance.now() + GIVES_UP_AFTER_MS;
  for (;;) {
    // While the storage is away nobody knows.
    const others = await count(storage).catch(() => undefined);
    if (others === 0) return;
    if (performance.now() > giveUpAt)
      throw new Error(`The dead are still connected: ${others ?? 'unknown'}.`);
    await pause(AGAIN_AFTER_MS);
  }
}

async function count(storage: Pool | Redis): Promise<number> {
  if ('query' in storage) {
    const { rows } = await storage.query<{ others: number }>(
      `SELECT count(*)::integer AS others FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND application_name <> $1`,
      [RUNNER],
    );
    return rows[0]?.others ?? 0;
  }
  const clients = String(await storage.client('LIST'))
    .trim()
    .split('\n');
  return clients.filter((client) => !client.includes(` name=${RUNNER} `)).length;
}
