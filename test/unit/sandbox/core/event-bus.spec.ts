import { describe, expect, it, vi } from 'vitest';
import { EventBus } from '../../../../lib/sandbox/core/event-bus.js';

describe("the emulator's listeners", () => {
  it('cannot stop what they listen to, and what they throw stays to be seen', () => {
    const events = new EventBus<{ readonly balance: number }>();
    const heard: unknown[] = [];
    events.on('balance', () => {
      throw new Error('the listener fails');
    });
    events.on('balance', (balance) => heard.push(balance));
    const later: unknown[] = [];
    const nextTick = vi.spyOn(process, 'nextTick').mockImplementation((task) => void later.push(task));
    try {
      events.emit('balance', 1);
    } finally {
      nextTick.mockRestore();
    }
    expect(heard).toEqual([1]);
    expect(later).toHaveLength(1);
    expect(later[0]).toThrow('the listener fails');
  });
});
