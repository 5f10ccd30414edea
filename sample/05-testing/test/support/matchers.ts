import { expect } from '@jest/globals';
import { sandboxMatchers, type SandboxMatchers } from 'nestjs-payments/sandbox';

expect.extend(sandboxMatchers);

declare module 'expect' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Jest's own way to add matchers.
  interface Matchers<R extends void | Promise<void>> extends SandboxMatchers<R> {}
}
