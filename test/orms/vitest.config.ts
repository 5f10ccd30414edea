import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
import root from '../../vitest.config.js';

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Webhook handlers with the ORMs of this folder's package.json, which the root does not install. */
export default mergeConfig(
  { ...root, test: { ...root.test, include: [], exclude: ['**/node_modules/**'] } },
  {
    root: pathOf('../..'),
    // The sample is an application outside this folder, which finds no ORM by itself.
    resolve: {
      alias: [
        { find: /^typeorm$/, replacement: pathOf('node_modules/typeorm') },
        { find: /^@nestjs\/typeorm$/, replacement: pathOf('node_modules/@nestjs/typeorm') },
      ],
    },
    test: {
      globalSetup: ['test/orms/global-setup.mjs'],
      include: ['test/orms/*.spec.ts', 'sample/07-typeorm-shop/test/*.spec.ts'],
    },
  },
);
