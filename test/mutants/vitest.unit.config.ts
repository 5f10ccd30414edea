import { defineConfig } from 'vitest/config';
import root from '../../vitest.config.js';

/** Unit specs need no database: making one for each mutant would take longer than they do. */
export default defineConfig({
  ...root,
  root: new URL('../..', import.meta.url).pathname,
  test: { ...root.test, globalSetup: [] },
});
