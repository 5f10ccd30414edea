import { onTestFinished } from 'vitest';

/** Hears Node's warnings of too many listeners until the test ends. The result is what was heard until it is called. */
export function hearLeakWarnings(): () => Promise<readonly string[]> {
  const heard: string[] = [];
  const hear = (warning: Error): void => {
    if (warning.name === 'MaxListenersExceededWarning') heard.push(warning.message);
  };
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  return async () => {
    // Node emits warnings in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    return heard;
  };
}
