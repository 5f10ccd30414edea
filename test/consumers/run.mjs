// Packs the package, installs the tarball into each application beside this file as a user would, and runs their
// type check, tests and production start. `--only <application>` runs one of them.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkApplication } from './runner/application.mjs';
import { stopChildren } from './runner/command.mjs';
import { checkPackage, pack } from './runner/package.mjs';
import { Report } from './runner/report.mjs';

const APPLICATIONS = ['nest11-commonjs', 'nest12-esm'];
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
if (only !== undefined && !APPLICATIONS.includes(only)) {
  console.error(`There is no application '${only}': write one of ${APPLICATIONS.join(', ')}.`);
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
  let tarball;
  await report.steps('package', async (step) => {
    await step('pack', async () => {
      tarball = await pack(root, work);
    });
    await checkPackage(step, { root, tarball, work });
  });
  for (const name of tarball === undefined ? [] : APPLICATIONS) {
    if (only !== undefined && only !== name) continue;
    const application = join(work, name);
    cpSync(join(here, name), application, { recursive: true, filter: isSource });
    mkdirSync(join(application, 'checks'));
    cpSync(join(here, 'checks'), join(application, 'checks'), { recursive: true });
    await report.steps(name, (step) => checkApplication(step, { application, tarball }));
    rmSync(application, { recursive: true, force: true });
  }
} finally {
  cleanUp();
}
process.exitCode = report.finish();

/** What an editor or a hand-made install left in the application stays behind. */
function isSource(path) {
  return !/[\\/](node_modules|dist)$/.test(path);
}
