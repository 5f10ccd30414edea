import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';
import { SlowSpecsFirst } from './test/support/slow-specs-first.js';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  oxc: false,
  plugins: [
    // Nest reads the metadata of decorators, which Vite's own compiler does not write.
    swc.vite({
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        target: 'es2022',
      },
      module: { type: 'es6' },
    }),
  ],
  resolve: {
    alias: [
      { find: /^nestjs-payments$/, replacement: pathOf('lib/index.ts') },
      {
        find: /^nestjs-payments\/(testing|sandbox|batches|reconciliation)$/,
        replacement: pathOf('lib/$1/index.ts'),
      },
      {
        find: /^nestjs-payments\/(redis|postgres|sqlite|typeorm|knex|kysely|drizzle|mikro-orm|prisma|sequelize|mysql)$/,
        replacement: pathOf('lib/storage/$1/index.ts'),
      },
      { find: 'nestjs-payments/sql', replacement: pathOf('lib/storage/executor/index.ts') },
      {
        find: /^nestjs-payments\/(bullmq|terminus|opentelemetry)$/,
        replacement: pathOf('lib/integrations/$1/index.ts'),
      },
      // Sample 05 is an application that tests with Jest: `npm run test:samples` does so.
      { find: '@jest/globals', replacement: pathOf('test/support/jest-globals.ts') },
    ],
  },
  test: {
    include: ['test/**/*.spec.ts', 'sample/**/*.spec.ts'],
    exclude: [
      '**/node_modules/**',
      'test/consumers/**',
      'test/nest11/**',
      'test/hosts/**',
      'test/orms/**',
      // What a spec of another run writes out of the documents, or left when it was killed.
      'test/e2e/docs/.*/**',
      'test/site/**',
      'sample/06-nest11-commonjs/**',
      'sample/07-typeorm-shop/**',
    ],
    globalSetup: ['test/support/global-setup.mjs'],
    setupFiles: ['test/support/fresh-process.ts'],
    // More than processors: specs that wait for other processes, servers and timers leave theirs to others.
    maxWorkers: availableParallelism() + 3,
    // Most of what tests make is garbage at once: with more room for it V8 collects a quarter as often.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64'],
    sequence: { sequencer: SlowSpecsFirst },
    // Loading Nest for every file would take longer than all tests.
    isolate: false,
    // What a test takes a second for takes many on a machine with much else to do.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Files that did not change since an earlier run are not compiled again.
    experimental: { fsModuleCache: true },
    coverage: { provider: 'v8', include: ['lib/**/*.ts'], exclude: ['lib/**/*.generated.ts'] },
  },
});
