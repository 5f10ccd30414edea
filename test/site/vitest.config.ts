import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
import root from '../../vitest.config.js';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The documentation site as `npm run docs:site` has built it. */
export default mergeConfig(
  { ...root, test: { ...root.test, include: [], exclude: ['**/node_modules/**'], globalSetup: [] } },
  {
    root: pathOf('../..'),
    test: { include: ['test/site/*.spec.ts'] },
  },
);
