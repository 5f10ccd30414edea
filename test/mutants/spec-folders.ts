const KINDS = ['unit', 'integration', 'e2e'];

/** Folders of `lib/` whose decisions other folders' specs prove too. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  common: ['test/unit', 'test/integration/transport', 'test/integration/recovery'],
  config: ['test/e2e/module'],
  errors: ['test/integration/transport', 'test/e2e/module'],
  recovery: ['test/integration/transport', 'test/e2e/webhooks', 'test/e2e/terminus'],
  storage: ['test/unit/webhooks', 'test/integration/recovery', 'test/integration/redis'],
  transport: ['test/integration/services', 'test/integration/recovery', 'test/e2e/module'],
  webhooks: ['test/unit/recovery', 'test/integration/recovery'],
};

/** The folders of specs for some folders or files of `lib/`, of which those are there that `exists` says. */
export function specFolders(paths: readonly string[], exists: (folder: string) => boolean): string[] {
  const found = paths.flatMap((path) => {
    const [, topic = ''] = path.replace(/\.ts$/, '').split('/');
    return [...KINDS.map((kind) => `test/${kind}/${topic}`), ...(ALSO[topic] ?? [])];
  });
  return [...new Set(found)].filter(exists);
}
