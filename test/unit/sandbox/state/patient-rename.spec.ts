import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renamePatiently } from '../../../../lib/sandbox/state/patient-rename.js';

const failing = (code: string) =>
  vi.fn(() => {
    throw Object.assign(new Error(code), { code });
  });

beforeEach(() => {
  vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('renamePatiently', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('tries again for a second on Windows after %s', (code) => {
    const rename = failing(code);
    expect(() => {
      renamePatiently('draft', 'file', { platform: 'win32', rename });
    }).toThrow(code);
    expect(rename).toHaveBeenCalledTimes(51);
    expect(rename).toHaveBeenLastCalledWith('draft', 'file');
    const waited = vi.mocked(Atomics.wait).mock.calls.reduce((sum, call) => sum + (call[3] ?? 0), 0);
    expect(waited).toBe(1_000);
  });

  it.each([
    ['linux', 'EPERM'],
    ['win32', 'ENOENT'],
  ] as const)('tries once on %s after %s', (platform, code) => {
    const rename = failing(code);
    expect(() => {
      renamePatiently('draft', 'file', { platform, rename });
    }).toThrow(code);
    expect(rename).toHaveBeenCalledOnce();
  });
});
