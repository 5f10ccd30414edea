const KINDS = ['unit', 'integration', 'e2e'];

const SERVICES = [
  'test/integration/services',
  'test/integration/gateway',
  'test/e2e/module',
  'test/e2e/swagger',
];

/** Folders of `lib/` whose decisions other folders' specs prove too. */
export const ALSO: Readonly<Record<string, readonly string[]>> = {
  banks: SERVICES,
  collections: SERVICES,
  common: ['test/unit', 'test/integration/gateway', 'test/integration/journal'],
  config: ['test/e2e/module', 'test/unit/docs/options-page.spec.ts'],
  disbursements: SERVICES,
  errors: ['test/integration/gateway', 'test/e2e/module'],
  gateway: ['test/integration/services', 'test/integration/journal', 'test/e2e/module'],
  journal: ['test/integration/gateway', 'test/e2e/webhooks', 'test/e2e/terminus'],
  'name-lookup': SERVICES,
  storage: ['test/unit/webhooks', 'test/integration/journal'],
  wallet: SERVICES,
  webhooks: ['test/unit/journal', 'test/integration/journal'],
};

/**
 * The folders of specs for some folders or files of `lib/`, of which those are there that `exists` says. The specs of
 * every folder if a path has none of its own, such as the module's.
 */
export function specFolders(paths: readonly string[], exists: (folder: string) => boolean): string[] {
  return [...new Set(paths.flatMap((path) => foldersOf(path, exists)))];
}

function foldersOf(path: string, exists: (folder: string) => boolean): readonly string[] {
  const [, topic = ''] = path.replace(/\.ts$/, '').split('/');
  const own = [...KINDS.map((kind) => `test/${kind}/${topic}`), ...(ALSO[topic] ?? [])].filter(exists);
  return own.length > 0 ? own : KINDS.map((kind) => `test/${kind}`);
}
