/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// The loader finds no `.ts` behind the `.js` of an import.
const { default: root } = createRequire(__filename)('../../jest.config.ts') as { readonly default: Config };
const { dependencies } = JSON.parse(readFileSync(join(__dirname, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** The same specs, with Nest 11 and what must be one copy with it in the place of the root's packages. */
const config: Config = {
  ...root,
  rootDir: '../..',
  testMatch: [
    '<rootDir>/test/nest11/*.spec.ts',
    '<rootDir>/test/e2e/{bullmq,module,opentelemetry,postgres,redis,swagger,terminus,webhooks}/**/*.spec.ts',
    '<rootDir>/test/e2e/cli/init-new-application.spec.ts',
    '<rootDir>/test/integration/{recovery,services,transport}/**/*.spec.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  moduleNameMapper: {
    ...root.moduleNameMapper,
    ...Object.fromEntries(
      Object.keys(dependencies).map((name) => [
        `^${name}(/.*)?$`,
        `<rootDir>/test/nest11/node_modules/${name}$1`,
      ]),
    ),
  },
};

export default config;
