import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
import root from '../../vitest.config.js';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { dependencies } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** The same specs, with Nest 11 and what must be one copy with it instead of the root's packages. */
export default mergeConfig(
  { ...root, test: { ...root.test, include: [], exclude: ['**/node_modules/**'] } },
  {
    root: pathOf('../..'),
    resolve: {
      alias: Object.keys(dependencies).map((name) => ({
        find: new RegExp(`^${name}(/.*)?$`),
        replacement: `${pathOf('node_modules')}/${name}$1`,
      })),
    },
    test: {
      include: [
        'test/nest11/*.spec.ts',
        'test/e2e/{bullmq,module,opentelemetry,storage,swagger,terminus,webhooks}/**/*.spec.ts',
        'test/e2e/cli/init-new-application.spec.ts',
        'test/e2e/docs/webhook-guards.e2e.spec.ts',
        'test/hosts/graphql.spec.ts',
        'test/integration/{gateway,journal,services}/**/*.spec.ts',
      ],
    },
  },
);
