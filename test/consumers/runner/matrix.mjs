/** Every combination that the package is for; an application's folder holds what is its own. */
export const NODES = [20, 22, 24];
export const ADAPTERS = ['express', 'fastify'];
export const APPLICATIONS = [
  {
    name: 'nest11-commonjs',
    nest: 11,
    format: 'CommonJS',
    tests: 'test:e2e',
    optionalPeers: [
      '@nestjs/bullmq@11',
      'bullmq@5',
      'ioredis@5',
      '@nestjs/terminus@11',
      '@opentelemetry/api@1',
      'csv-parse@7',
    ],
  },
  { name: 'nest11-esm', nest: 11, format: 'ESM', tests: 'test:e2e' },
  {
    name: 'nest12-commonjs',
    nest: 12,
    format: 'CommonJS',
    tests: 'test:e2e',
    // Each try of it is held to fail as it says, so that the README's word is taken back when it has become wrong.
    impossible: {
      nodes: [20, 22],
      because:
        'Jest cannot require ES modules there, whatever the plugin: tested with an swc transform of @nestjs',
      message: /Must use import to load ES Module: .*[\\/]node_modules[\\/]@nestjs[\\/]/,
      instead: 'test:e2e:swc',
    },
  },
  {
    name: 'nest12-esm',
    nest: 12,
    format: 'ESM',
    tests: 'test:e2e',
    optionalPeers: [
      '@nestjs/bullmq@12',
      'bullmq@6',
      'ioredis@6',
      '@nestjs/terminus@12',
      '@opentelemetry/api@1',
      'csv-parse@7',
    ],
  },
];

/** Samples that install the package as an application of a user does. */
export const SAMPLES = [{ name: '06-nest11-commonjs' }];

/** What `nest new` makes, to be set up by `init`; the sample above shows the other one, set up. */
export const NEW_APPLICATIONS = [{ name: 'new-nest12-esm', skeleton: 'nest12-esm' }];

/** What `nest new` makes, with nothing in it but the README's snippets. */
export const README_APPLICATIONS = [
  { name: 'readme-nest11-commonjs', nest: 11, cli: '11.0.24', format: 'CommonJS' },
  { name: 'readme-nest12-esm', nest: 12, cli: '12.0.8', format: 'ESM' },
];

/** What `nest new` makes, with the blocks of the agents' skill in it. */
export const SKILLS = [
  { name: 'skill-nest11-commonjs', nest: 11, skeleton: 'nest11-commonjs', test: ['jest'] },
  // As the configuration that `nest new` writes.
  { name: 'skill-nest12-esm', nest: 12, skeleton: 'nest12-esm', test: ['vitest', 'run', '--globals'] },
];

/** What `nest new` makes, where Yarn, pnpm and Bun install the packages. */
export const PACKAGE_MANAGERS = { name: 'package-managers', skeleton: 'nest11-commonjs' };

/** The emulator for an application that is not of Nest, or of another language. */
export const EMULATOR_ALONE = { name: 'emulator-alone' };
