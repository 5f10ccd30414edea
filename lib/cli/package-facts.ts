import { readFileSync } from 'node:fs';

/** Facts from the package's own package.json. */
export interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export function packageFacts(): PackageFacts {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return JSON.parse(text) as PackageFacts;
}
