import { mergeConfig } from 'vitest/config';
import root from '../../vitest.config.js';

/** Each spec file in a process of its own, which writes down what it ran into. */
export default mergeConfig(root, {
  root: new URL('../..', import.meta.url).pathname,
  test: {
    isolate: true,
    setupFiles: ['test/mutants/write-coverage.ts'],
    // They read the sources, which hold every fault at once here.
    exclude: ['test/unit/architecture/**', 'test/unit/docs/{examples,jest-remedy,public-api}.spec.ts'],
  },
});
