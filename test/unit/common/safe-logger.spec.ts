import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SafeLogger } from '../../../lib/common/safe-logger.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each(['log', 'debug', 'warn', 'error'] as const)(
  'writes a line of %s through the logger of Nest',
  (level) => {
    const written = vi.spyOn(Logger.prototype, level).mockReturnValue(undefined);
    new SafeLogger('Payments')[level]('a line');
    expect(written).toHaveBeenCalledWith('a line');
  },
);

it.each(['log', 'debug', 'warn', 'error'] as const)(
  'does not throw if a line of %s cannot be written',
  (level) => {
    vi.spyOn(Logger.prototype, level).mockImplementation(() => {
      throw new Error('the disk is full');
    });
    expect(() => {
      new SafeLogger('Payments')[level]('a line');
    }).not.toThrow();
  },
);

it('is how the whole package logs', () => {
  const direct = readdirSync('lib', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .filter((path) => /\bnew Logger\('/.test(readFileSync(join('lib', path), 'utf8')));
  expect(direct).toEqual([]);
});
