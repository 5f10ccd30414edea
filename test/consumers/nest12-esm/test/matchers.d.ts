import type { SandboxMatchers } from 'nestjs-payments/sandbox';

declare module 'vitest' {
  interface Matchers<T = any> extends SandboxMatchers<T> {}
}
