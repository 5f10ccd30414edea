import { type Queue, type Worker } from 'bullmq';
import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { withDeadline } from '../../common/timing.js';

const ANSWERS_WITHIN_MS = 1_500;
/** Time to record the end of the last jobs and to close the connections. */
const CLOSES_WITHIN_MS = 2_000;

/** Whether it succeeds in time. Never rejects. */
export async function succeedsInTime(work: Promise<unknown>): Promise<boolean> {
  const done = work.then(
    () => true,
    () => false,
  );
  const waited = await withDeadline(done, performance.now() + ANSWERS_WITHIN_MS);
  return waited.ended === 'done' && waited.value;
}

/** Never rejects, and does not wait for an absent Redis. */
export async function closeQueue(queue: Queue): Promise<void> {
  const closing = queue.close().finally(() => {
    ignoreLateErrors(queue);
  });
  if (await succeedsInTime(closing)) return;
  // Not awaited: a reconnecting client never resolves, although it stops at once.
  queue.disconnect().catch(() => undefined);
}

/** Takes no more jobs; those that run continue. */
export function pauseWorker(worker: Worker): void {
  // BullMQ 5 may start another pause between two checks for stalled jobs after its close, which keeps the process running.
  worker.opts.stalledInterval = 1;
  worker.pause(true).catch(() => undefined);
}

/**
 * Never rejects, and does not wait for an absent Redis.
 *
 * @param force Whether the end of the last jobs cannot be recorded.
 */
export async function closeWorker(worker: Worker, force: boolean): Promise<void> {
  const closing = worker
    .close(force)
    .catch(() => undefined)
    .finally(() => {
      ignoreLateErrors(worker);
    });
  const { ended } = await withDeadline(closing, performance.now() + CLOSES_WITHIN_MS);
  // Not awaited: a reconnecting client never resolves, although it stops at once.
  if (ended !== 'done') worker.disconnect().catch(() => undefined);
}

/**
 * For a closed queue or worker. BullMQ 5 removes its own listeners before it reports a connection that never
 * opened, and an error without a listener would end the process during its shutdown.
 */
function ignoreLateErrors(closed: object): void {
  const { connection, blockingConnection } = closed as Readonly<Record<string, unknown>>;
  for (const emitter of [connection, blockingConnection]) {
    if (emitter instanceof EventEmitter) emitter.on('error', () => undefined);
  }
}
