// Packs the package or takes a packed one, installs the tarball as a user would into applications of each kind, and runs their type check,
// tests and production start on every Node and HTTP adapter; ends with the matrix. See runner/selection.mjs for a part.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopChildren } from './runner/command.mjs';
import { checkMatrix } from './runner/cells.mjs';
import { checkNewApplication } from './runner/new-application.mjs';
import { checkEmulatorAlone } from './runner/emulator-alone.mjs';
import { EMULATOR_ALONE, PACKAGE_MANAGERS } from './runner/matrix.mjs';
import { findNode } from './runner/nodes.mjs';
import { checkPackage, pack } from './runner/package.mjs';
import { checkPackageManagers } from './runner/package-managers.mjs';
import { checkReadme } from './runner/readme.mjs';
import { Report } from './runner/report.mjs';
import { checkSample } from './runner/sample.mjs';
import { select } from './runner/selection.mjs';
import { checkSkill } from './runner/skill.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');

let selection;
try {
  selection = select(process.argv.slice(2));
} catch ({ message }) {
  console.error(message);
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), 'nestjs-payments-'));
const cleanUp = () => {
  stopChildren();
  rmSync(work, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    cleanUp();
    process.exit(1);
  });
}

const report = new Report();
try {
  let { tarball } = selection;
  await report.steps('package', async (step) => {
    if (tarball === undefined)
      await step('pack', async () => {
        tarball = await pack(root, work);
      });
    await checkPackage(step, { root, tarball, work });
  });
  const nodes = [];
  for (const major of selection.nodes) {
    await report.steps(`Node ${major}`, (step) =>
      step('is there', async () => {
        nodes.push(await findNode(major, work));
      }),
    );
  }
  if (tarball !== undefined && nodes.length > 0)
    await checkMatrix(report, { ...selection, here, nodes, tarball, work });
  for (const { name } of tarball === undefined ? [] : selection.samples) {
    const paths = { sample: join(root, 'sample', name), cwd: join(work, name), tarball };
    await report.steps(name, (step) => checkSample(step, paths));
  }
  for (const { name, skeleton: folder } of tarball === undefined ? [] : selection.newApplications) {
    const skeleton = join(root, 'test', 'skeletons', folder);
    const paths = { here, skeleton, cwd: join(work, name), tarball };
    await report.steps(name, (step) => checkNewApplication(step, paths));
  }
  const fromReadme = (tarball === undefined ? [] : selection.readmeApplications).map((application) => {
    // The newest Node: parts of Nest 12's command line run on nothing older.
    const place = { root, cwd: join(work, application.name), tarball, env: nodes.at(-1)?.env };
    return report.steps(application.name, (step) => checkReadme(step, { ...application, ...place }));
  });
  await Promise.all(fromReadme);
  const fromSkill = (tarball === undefined ? [] : selection.skills).map((skill) => {
    // The newest Node: the skill's storage is SQLite.
    const place = { root, here, cwd: join(work, skill.name), tarball, env: nodes.at(-1)?.env };
    return report.steps(skill.name, (step) => checkSkill(step, { ...skill, ...place }));
  });
  await Promise.all(fromSkill);
  if (tarball !== undefined && selection.packageManagers) {
    const skeleton = join(root, 'test', 'skeletons', PACKAGE_MANAGERS.skeleton);
    await checkPackageManagers(report, { skeleton, work, tarball });
  }
  if (tarball !== undefined && selection.emulatorAlone)
    await report.steps(EMULATOR_ALONE.name, (step) => checkEmulatorAlone(step, { work, tarball }));
} finally {
  cleanUp();
}
process.exitCode = report.finish();
