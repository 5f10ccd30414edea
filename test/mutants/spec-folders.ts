const KINDS = ['unit', 'integration', 'e2e'];

const SERVICES = ['test/integration/services', 'test/integration/transport', 'test/e2e/module'];

/** Folders of `lib/` whose decisions other folders' specs prove too. */
export const ALSO: Readonly<Record<string, readonly string[]>> = {
  banks: SERVICES,
  collections: SERVICES,
  common: ['test/unit', 'test/integration/transport', 'test/integration/recovery'],
  config: ['test/e2e/module'],
  disbursements: SERVICES,
  errors: ['test/integration/transport', 'test/e2e/module'],
  'name-lookup': SERVICES,
  recovery: ['test/integration/transport', 'test/e2e/webhooks', 'test/e2e/terminus'],
  storage: ['test/unit/webhooks', 'test/integration/recovery', 'test/integration/redis'],
  transport: ['test/integration/services', 'test/integration/recovery', 'test/e2e/module'],
  wallet: SERVICES,
  webhooks: ['test/unit/recovery', 'test/integration/recovery'],
};

/**
 * The folders of specs for some folders or files of `lib/`, of which those are there that `exists` says. The specs of
 * every folder where a path has none of its own, such as the module's.
 */
export function specFolders(paths: readonly string[], exists: (folder: string) => boolean): string[] {
  return [...new Set(paths.flatMap((path) => foldersOf(path, exists)))];
}

function foldersOf(path: string, exists: (folder: string) => boolean): readonly string[] {
  const [, topic = ''] = path.replace(/\.ts$/, '').split('/');
  const own = [...KINDS.map((kind) => `test/${kind}/${topic}`), ...(ALSO[topic] ?? [])].filter(exists);
  return own.length > 0 ? own : KINDS.map((kind) => `test/${kind}`);
}
