import { type FailedWebhook, type PaymentsQueue } from 'nestjs-payments/bullmq';

export const USAGE = `Usage: npm run office -- failed       what was given up
       npm run office -- retry <id>   lets its handlers run again
       npm run office -- retry-all    lets all of them run again`;

/** @returns What to print; undefined for unknown arguments. */
export async function runOffice(
  queue: PaymentsQueue,
  [command, id]: readonly string[],
): Promise<string | undefined> {
  if (command === 'failed') return (await queue.failed()).map(line).join('\n') || 'Nothing was given up.';
  if (command === 'retry-all') return `${await queue.retryAll()} released.`;
  if (command !== 'retry' || id === undefined) return undefined;
  await queue.retry(id);
  return `${id} released.`;
}

function line({ id, event, reference, attempts, reason }: FailedWebhook): string {
  return `${id}  ${event} for ${reference}, ${attempts} attempts. ${reason}`;
}
