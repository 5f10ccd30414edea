import { describe, expect, it, vi } from 'vitest';
import { EventBus } from '../../../lib/sandbox/core/activity.js';

const BALANCE = { merchant: 'demo', balance: 1, available_balance: 1, locked_balance: 0, currency: 'TZS' };

describe("the emulator's listeners", () => {
  it('cannot stop what they listen to, and what they throw stays to be seen', () => {
    const hub = new EventBus();
    const heard: unknown[] = [];
    hub.on('balance', () => {
      throw new Error('the listener fails');
    });
    hub.on('balance', (balance) => heard.push(balance));
    const later: unknown[] = [];
    const nextTick = vi.spyOn(process, 'nextTick').mockImplementation((task) => void later.push(task));
    try {
      hub.emit('balance', BALANCE);
    } finally {
      nextTick.mockRestore();
    }
    expect(heard).toEqual([BALANCE]);
    expect(later).toHaveLength(1);
    expect(later[0]).toThrow('the listener fails');
  });
});
