import { vi } from 'vitest';
import { Logger } from '@nestjs/common';

/** From now on the application's logger throws at every line of the package. `vi.restoreAllMocks()` ends that. */
export function failLogger(): void {
  for (const level of ['log', 'debug', 'warn', 'error'] as const) {
    vi.spyOn(Logger.prototype, level).mockImplementation(function (this: { readonly context?: string }) {
      if (this.context?.startsWith('Payments')) throw new Error('the disk is full');
    } as never);
  }
}
