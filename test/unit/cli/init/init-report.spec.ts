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

function steps(platform: NodeJS.Platform): string {
  const folder = join(place, 'shop');
  const manager = packageManagerOf(folder, place, {});
  return nextSteps(PLAN, { folder, manager, missing: ['pg'] }, platform);
}

it('the next steps of init are lines that can be copied whole', () => {
  expect(steps('linux')).toBe(
    [
      'Next:',
      '  Install the missing packages:',
      '    cd shop && npm install pg',
      '  Start the emulator, and put what it prints into .env:',
      '    npx nestjs-payments sandbox --forward-to http://127.0.0.1:3000/webhooks/payments',
      '  Check the application when it runs:',
      '    npx nestjs-payments doctor --webhook http://127.0.0.1:3000/webhooks/payments',
      '  Run the tests that start the application, which need the variables too:',
      '    npx nestjs-payments sandbox exec -- npm run test',
      "The application's global prefix comes before /webhooks/payments.",
    ].join('\n'),
  );
});

it('the next steps of init have one command a line on Windows', () => {
  expect(steps('win32')).toContain('packages:\n    cd shop\n    npm install pg\n');
});
