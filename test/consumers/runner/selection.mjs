import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  ADAPTERS,
  APPLICATIONS,
  EMULATOR_ALONE,
  NEW_APPLICATIONS,
  NODES,
  PACKAGE_MANAGERS,
  README_APPLICATIONS,
  SAMPLES,
  SKILLS,
} from './matrix.mjs';

const several = { type: 'string', multiple: true };

/**
 * What of the matrix to run: `--only <application>`, `--node <major>` and `--adapter <name>`, each as often as you like.
 * `--tarball <file>` is what `npm pack` has made: then nothing is built or packed.
 *
 * @throws if there is no such thing.
 */
export function select(args) {
  const { only, node, adapter, tarball } = parseArgs({
    args,
    options: { only: several, node: several, adapter: several, tarball: { type: 'string' } },
  }).values;
  if (tarball !== undefined && !existsSync(tarball)) throw new Error(`There is no file '${tarball}'.`);
  const all = [
    ...APPLICATIONS,
    ...SAMPLES,
    ...NEW_APPLICATIONS,
    ...README_APPLICATIONS,
    ...SKILLS,
    PACKAGE_MANAGERS,
    EMULATOR_ALONE,
  ];
  const chosen = pick('application', all, ({ name }) => name, only);
  return {
    tarball: tarball && resolve(tarball),
    applications: APPLICATIONS.filter((one) => chosen.includes(one)),
    samples: SAMPLES.filter((one) => chosen.includes(one)),
    newApplications: NEW_APPLICATIONS.filter((one) => chosen.includes(one)),
    readmeApplications: README_APPLICATIONS.filter((one) => chosen.includes(one)),
    skills: SKILLS.filter((one) => chosen.includes(one)),
    packageManagers: chosen.includes(PACKAGE_MANAGERS),
    emulatorAlone: chosen.includes(EMULATOR_ALONE),
    nodes: pick('Node', NODES, String, node),
    adapters: pick('adapter', ADAPTERS, String, adapter),
  };
}

function pick(what, all, nameOf, wanted) {
  const unknown = wanted?.find((name) => !all.some((one) => nameOf(one) === name));
  if (unknown !== undefined)
    throw new Error(`There is no ${what} '${unknown}': write one of ${all.map(nameOf).join(', ')}.`);
  return wanted === undefined ? all : all.filter((one) => wanted.includes(nameOf(one)));
}
