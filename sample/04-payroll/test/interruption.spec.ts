import { describe, expect, it } from 'vitest';
import { Interruption } from '../src/console/interruption.js';

describe('a run', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'is asked to stop by %s, and does not listen to it afterwards',
    (signal) => {
      const before = process.listenerCount(signal);
      let asked = 0;
      const forget = new Interruption().listen(() => (asked += 1));
      process.emit(signal);
      expect(asked).toBe(1);
      forget();
      expect(process.listenerCount(signal)).toBe(before);
    },
  );
});
