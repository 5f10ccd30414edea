import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nextSteps } from '../../../../lib/cli/init/init-report.js';
import { packageManagerOf } from '../../../../lib/cli/project/package-manager.js';

const PLAN = { addsRoute: true, registersPayments: false };
let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'payments-report-'));
  mkdirSync(join(place, 'shop'));
  writeFileSync(join(place, 'shop', 'package.json'), '{"scripts":{"test":"jest"}}');
});
afterEach(() => {
  rmSync(place, { recursive: true });
});

function steps(from: string, project?: string): string {
  const folder = join(place, 'shop');
  const manager = packageManagerOf(folder, from, {});
  return nextSteps(PLAN, { folder, manager, project, missing: ['pg'] });
}

it("the next steps of init are one line a command, in the application's folder", () => {
  expect(steps(place)).toBe(
    [
      'Next:',
      "  Go to the application's folder, in which the other commands run:",
      '    cd shop',
      '  Install the missing packages:',
      '    npm install pg',
      '  Start the emulator, which writes its address and keys into .env, and keeps the other lines:',
      '    npx nestjs-payments sandbox --write-env .env --forward-to http://127.0.0.1:3000/webhooks/payments',
      '  Check the application when it runs:',
      '    npx nestjs-payments doctor --webhook http://127.0.0.1:3000/webhooks/payments',
      '  Run the tests that start the application, which need the variables too:',
      '    npx nestjs-payments sandbox exec -- npm run test',
      'Change the address above if the application listens on another port than 3000, or has a global prefix, which comes before /webhooks/payments.',
    ].join('\n'),
  );
});

it('the next steps of init begin with the installation where the command runs in the folder', () => {
  expect(steps(join(place, 'shop'))).toContain(
    'Next:\n  Install the missing packages:\n    npm install pg\n',
  );
});

it('the next steps of init name the application to the doctor if several share the folder', () => {
  expect(steps(place, '--project shop')).toContain('doctor --project shop --webhook http');
});
