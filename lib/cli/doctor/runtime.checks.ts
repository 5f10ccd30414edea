import { relative } from 'node:path';
import { type PackageFacts } from '../package-facts.js';
import { type CheckResult, failed, ok, skipped } from './check.js';
import { type PackageTree } from './package-tree.js';
import { isInRange } from './version-range.js';

/**
 * A second copy of these packages breaks an application: injection by class, metadata of DTOs, registered
 * options.
 */
const ONE_COPY = ['nestjs-payments', '@nestjs/common', '@nestjs/core', 'class-transformer'];

export function nodeCheck(version: string, { engines }: PackageFacts): CheckResult {
  if (isInRange(version, engines.node)) return ok('Node', version);
  return failed('Node', `${version} is too old`, `Install Node ${engines.node.replace('>=', '')} or newer.`);
}

/** Checks that the application has installed its peer packages in fitting versions. */
export function peerChecks(tree: PackageTree | undefined, facts: PackageFacts): readonly CheckResult[] {
  if (!tree) {
    const fix = "Run it in the application's folder, or name that with --project <folder>.";
    return [skipped('Packages', 'there is no package.json here', fix)];
  }
  return [versionCheck(tree, facts), ...ONE_COPY.map((name) => copyCheck(tree, name))].filter(
    (result) => result !== undefined,
  );
}

function versionCheck(
  tree: PackageTree,
  { peerDependencies, peerDependenciesMeta }: PackageFacts,
): CheckResult {
  const peers = Object.entries(peerDependencies).map(([name, range]) => ({
    name,
    range,
    version: tree.versionOf(name),
    optional: peerDependenciesMeta[name]?.optional === true,
  }));
  const missing = peers.filter(({ version, optional }) => version === undefined && !optional);
  const unfit = peers.filter(({ version, range }) => version !== undefined && !isInRange(version, range));
  if (missing.length + unfit.length === 0) {
    const shown = peers.filter(({ name, version }) => version !== undefined && name.startsWith('@nestjs/'));
    return ok('Packages', shown.map(({ name, version }) => `${name} ${version ?? ''}`).join(', '));
  }
  const problems = [
    ...missing.map(({ name }) => `${name} is missing`),
    ...unfit.map(({ name, version, range }) => `${name} ${version ?? ''} is not in ${range}`),
  ];
  const wanted = [...missing, ...unfit].map(({ name, range }) => `${name}@${newest(range)}`);
  return failed('Packages', problems.join('; '), `npm install ${wanted.join(' ')}`);
}

function copyCheck(tree: PackageTree, name: string): CheckResult | undefined {
  const copies = tree.copiesOf(name);
  if (copies.length < 2) return undefined;
  const places = copies.map(
    ({ version, folder }) => `${version} in ${relative(tree.folder, folder) || 'the project itself'}`,
  );
  return failed(
    'One copy',
    `${name} is installed ${copies.length} times: ${places.join(', ')}`,
    `See who brings them with npm ls ${name}; then npm dedupe, or one version in package.json.`,
  );
}

/** The last alternative of a range, which needs no quotes on a command line. */
function newest(range: string): string {
  return (range.split('||').at(-1) ?? range).trim();
}
