import type { SandboxMatchers } from 'nestjs-payments/sandbox';

declare global {
  namespace jest {
    interface Matchers<R> extends SandboxMatchers<R> {}
  }
}
