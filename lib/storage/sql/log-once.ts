import { SafeLogger } from '../../common/safe-logger.js';

/** Writes each line into the log once. */
export function logOnce(): (line: string) => void {
  const written = new Set<string>();
  return (line) => {
    if (written.has(line)) return;
    written.add(line);
    new SafeLogger('PaymentsStorage').warn(line);
  };
}
