import { type PackageFacts } from '../package-facts.js';
import { type PackageTree } from './package-tree.js';
import { isInRange } from './version-range.js';

/** The application's own files import it, so its installation as a peer of this package is not enough. */
const IMPORTED = '@nestjs/config';
/** @nestjs/axios does not bring it. */
const AXIOS = { name: 'axios', range: '^1.3.1', isForNest: false, isOptional: false };

/** A package that the application brings for this one. */
interface PeerPackage {
  readonly name: string;
  /** The range that fits the application's Nest. */
  readonly range: string;
  /** Whether another Nest would need another range. */
  readonly isForNest: boolean;
  readonly isOptional: boolean;
  /** The version that this package loads; undefined if it is missing. */
  readonly version: string | undefined;
  /** Whether it is there in a version that fits, or is not needed. */
  readonly fits: boolean;
}

/** The peer packages, each as this package loads it. */
export function peerPackages(
  tree: PackageTree,
  { name: own, peerDependencies, peerDependenciesMeta }: PackageFacts,
): readonly PeerPackage[] {
  const nests = alternativesOf(peerDependencies['@nestjs/core'] ?? '');
  const nest = tree.versionOf('@nestjs/core') ?? firstVersion(tree.declaredRange('@nestjs/core'));
  const index = nest === undefined ? -1 : nests.findIndex((range) => isInRange(nest, range));
  const peers = Object.entries(peerDependencies).map(([name, supported]) => {
    const range = rangeFor(index, name, supported);
    const isOptional = peerDependenciesMeta[name]?.optional === true;
    return { name, range, isForNest: range !== supported, isOptional };
  });
  return [...peers, AXIOS].map((peer) => {
    const through = peer === AXIOS ? [own, '@nestjs/axios'] : [own];
    const version = tree.versionOf(peer.name, ...through);
    return {
      ...peer,
      version,
      fits: version === undefined ? peer.isOptional : isInRange(version, peer.range),
    };
  });
}

/** The packages to install, in versions that fit the application's Nest. */
export function missingPackages(tree: PackageTree, facts: PackageFacts): readonly string[] {
  const peers = peerPackages(tree, facts)
    .filter(({ isOptional }) => !isOptional)
    .filter(({ name, fits }) => !fits || (name === IMPORTED && tree.declaredRange(name) === undefined));
  return [...(tree.declaredRange(facts.name) === undefined ? [facts.name] : []), ...peers.map(wanted)];
}

/** A package and its newest version that fits, without a character that a shell would read. */
export function wanted({ name, range }: PeerPackage): string {
  return `${name}@${alternativesOf(range).at(-1) ?? range}`;
}

/**
 * The packages of Nest 12 are ES modules only, which Jest in a Nest 11 application cannot load, and those of
 * Nest 11 refuse Nest 12.
 *
 * @param index Which alternative of the range for Nest itself the application has; -1 if none.
 */
function rangeFor(index: number, name: string, range: string): string {
  return (name.startsWith('@nestjs/') ? alternativesOf(range)[index] : undefined) ?? range;
}

/** The version that a range begins with, for an application whose packages are not installed yet. */
function firstVersion(range = ''): string | undefined {
  return /\d+\.\d+\.\d+/.exec(range)?.[0];
}

function alternativesOf(range: string): readonly string[] {
  return range.split('||').map((alternative) => alternative.trim());
}
