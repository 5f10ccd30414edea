import { type PackageTree } from '../doctor/package-tree.js';
import { isInRange } from '../doctor/version-range.js';
import { type PackageFacts } from '../package-facts.js';

/** The application's own files import it, so npm's installation as a peer of this package is not enough. */
const IMPORTED = '@nestjs/config';

/** The packages that the application lacks, in versions that fit its Nest. */
export function missingPackages(
  tree: PackageTree,
  { name: own, peerDependencies, peerDependenciesMeta }: PackageFacts,
): readonly string[] {
  const nest = tree.versionOf('@nestjs/core') ?? '';
  const peers = Object.entries(peerDependencies)
    .filter(([name]) => peerDependenciesMeta[name]?.optional !== true)
    .map(([name, range]) => ({ name, range: rangeFor(nest, name, range) }))
    .filter(({ name, range }) => {
      const version = tree.versionOf(name);
      const isUndeclared = name === IMPORTED && !tree.declares(name);
      return isUndeclared || version === undefined || !isInRange(version, range);
    })
    .map(({ name, range }) => `${name}@${range}`);
  return [
    ...(tree.declares(own) ? [] : [own]),
    ...peers,
    ...(tree.versionOf('axios') ? [] : ['axios']), // @nestjs/axios does not bring it
  ];
}

/** Nest 12 packages are ES modules only, which Jest in a Nest 11 application cannot load. */
function rangeFor(nest: string, name: string, range: string): string {
  const alternatives = range.split('||').map((alternative) => alternative.trim());
  const isOlder = name.startsWith('@nestjs/') && nest.startsWith('11.');
  return (isOlder ? alternatives[0] : alternatives.at(-1)) ?? range;
}
