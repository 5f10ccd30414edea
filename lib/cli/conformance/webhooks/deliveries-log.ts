import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import { UsageError } from '../../usage-error.js';
import { type CapturedDelivery, claimedEvent, digestOf } from './captured-delivery.js';

/** Keeps what may be told of each delivery: no body, no value of a header. */
export interface DeliveriesLog {
  /** @param isOwn A delivery for a reference of this run. Of others it keeps the digest and the answer alone. */
  add(delivery: CapturedDelivery, isOwn: boolean): void;
  close(): void;
}

/**
 * Appends to a file that only its owner can read, one JSON object a line.
 *
 * @throws UsageError if the file cannot be written.
 */
export function openDeliveriesLog(file: string): DeliveriesLog {
  const handle = openPrivately(file);
  return {
    add: (delivery, isOwn) => {
      try {
        writeSync(handle, `${JSON.stringify(lineOf(delivery, isOwn))}\n`);
      } catch {
        // A full disk must not lose the delivery itself, which is in memory.
      }
    },
    close: () => {
      closeSync(handle);
    },
  };
}

function openPrivately(file: string): number {
  try {
    const handle = openSync(file, 'a', 0o600);
    // The file may be there already, with another mode.
    fchmodSync(handle, 0o600);
    return handle;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The log of webhooks cannot be written (${String(code)}): name a file in a folder that is yours.`,
    );
  }
}

function lineOf({ at, body, headers, status }: CapturedDelivery, isOwn: boolean) {
  const bytes = {
    at: new Date(at).toISOString(),
    webhook: digestOf(body),
    bytes: body.length,
    answered: status,
  };
  return isOwn ? { ...bytes, ...claimedEvent(body), headers: [...headers.keys()] } : bytes;
}
