import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { FolderLostError } from './folder-lock.js';
import { StateFileReplacedError } from './state-folder.js';

/** Why the emulator stopped, and what to do. */
export function stoppingProblem(error: unknown): Error {
  // They say what to do.
  if (error instanceof FolderLostError || error instanceof StateFileReplacedError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PaymentsConfigError(
    `${message} The sandbox has stopped keeping its state: make room on the disk and start it again. It continues with the last change that was written.`,
  );
}
