/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { availableParallelism } from 'node:os';

const config: Config = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test', '<rootDir>/sample'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    '<rootDir>/test/consumers/',
    '<rootDir>/test/nest11/',
    '<rootDir>/sample/06-nest11-commonjs/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^nestjs-payments$': '<rootDir>/lib/index.ts',
    '^nestjs-payments/(testing|sandbox|redis|postgres|bullmq|terminus|opentelemetry)$':
      '<rootDir>/lib/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2022',
        },
        module: { type: 'es6' },
      },
    ],
  },
  // Jest would leave a machine with two cores one of them, and its one process would keep every module it ever loaded.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  workerIdleMemoryLimit: '1GB',
  testTimeout: 15_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['lib/**/*.ts', '!lib/**/*.generated.ts'],
};

export default config;
