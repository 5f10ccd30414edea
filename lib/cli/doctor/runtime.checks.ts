import { relative } from 'node:path';
import { type PackageFacts } from '../package-facts.js';
import { type PackageManager } from '../project/package-manager.js';
import { hidesPackages } from '../project/package-places.js';
import { type PackageTree } from '../project/package-tree.js';
import { peerPackages, wanted } from '../project/peer-packages.js';
import { isInRange } from '../project/version-range.js';
import { type CheckResult, failed, ok, skipped } from './check.js';

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
export function peerChecks(
  tree: PackageTree | undefined,
  facts: PackageFacts,
  manager: PackageManager,
): readonly CheckResult[] {
  if (!tree) {
    const fix = "Run it in the application's folder, or name that with --project <folder>.";
    return [skipped('Packages', 'there is no package.json here', fix)];
  }
  if (hidesPackages(tree.folder)) {
    const fix = `Run it with Yarn: ${manager.execThere('doctor')}`;
    return [failed('Packages', "Yarn's Plug'n'Play keeps them, where only Yarn finds them", fix)];
  }
  return [
    versionCheck(tree, facts, manager),
    ...ONE_COPY.map((name) => copyCheck(tree, name, manager)),
  ].filter((result) => result !== undefined);
}

function versionCheck(tree: PackageTree, facts: PackageFacts, manager: PackageManager): CheckResult {
  const peers = peerPackages(tree, facts);
  const unfit = peers.filter(({ fits }) => !fits);
  if (unfit.length === 0) {
    const shown = peers.filter(({ name, version }) => version !== undefined && name.startsWith('@nestjs/'));
    return ok('Packages', shown.map(({ name, version }) => `${name} ${version ?? ''}`).join(', '));
  }
  const problems = unfit.map(({ name, version, range, isForNest }) => {
    if (version === undefined) return `${name} is missing`;
    const nest = isForNest ? `, which fits @nestjs/core ${tree.versionOf('@nestjs/core') ?? ''}` : '';
    return `${name} ${version} is not in ${range}${nest}`;
  });
  return failed('Packages', problems.join('; '), manager.install(unfit.map(wanted)));
}

function copyCheck(tree: PackageTree, name: string, manager: PackageManager): CheckResult | undefined {
  const copies = tree.copiesOf(name);
  if (copies.length < 2) return undefined;
  const places = copies.map(
    ({ version, folder }) => `${version} in ${relative(tree.folder, folder) || 'the project itself'}`,
  );
  return failed(
    'One copy',
    `${name} is installed ${copies.length} times: ${places.join(', ')}`,
    `See who brings them with ${manager.why} ${name}; then run ${manager.dedupe}, or one version in package.json.`,
  );
}
