import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callerOf } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { bundleCli, environmentOf } from '../../support/cli-process.js';
import { InitApplication, SKELETONS } from './init-application.js';

const ADDED = ['src/payments/payments.controller.ts', 'src/payments/payments.handler.ts'];
let application: InitApplication;

beforeAll(bundleCli);
afterEach(() => {
  application.remove();
});

describe.each(SKELETONS)('nestjs-payments init in a new application, %s', (skeleton) => {
  beforeEach(() => {
    application = new InitApplication(skeleton);
  });

  it('makes one that compiles, boots, reads .env and receives a webhook', async () => {
    const before = application.files();
    const { code, stdout, stderr } = await application.init();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('Written: src/app.module.ts, ') as unknown,
    });
    expect(stderr).toContain('\n    npx nestjs-payments sandbox exec -- npm run test:e2e\n');
    expect(stdout).toContain('\n+    PaymentsModule.forRootAsync({\n');
    const after = application.files();
    expect(Object.keys(after).filter((file) => before[file] !== after[file])).toEqual([
      '.env.example',
      'src/app.module.ts',
      ...ADDED,
    ]);
    expect(await application.typeErrors()).toEqual([]);

    const sandbox = await startSandbox({ clock: 'manual' });
    const lines = Object.entries(environmentOf(sandbox)).map(([name, value]) => `${name}=${value}`);
    application.write('.env', lines.join('\n'));
    const running = await application.boot();
    try {
      const [, address] = await running.until(/Listening on (\S+)/);
      sandbox.deliverTo(`${address}/webhooks/payments`);
      await callerOf(sandbox).collect();
      await sandbox.customer('255712345678').approve('order-1');
      expect(sandbox.deliveries()).toMatchObject([{ attempts: [{ status: 200 }] }]);
      await running.until(/LOG.*PaymentsHandler.*Paid: "order-1", 15000\.00 TZS\n/);
    } finally {
      await running.stop();
      await sandbox.stop();
    }
  }, 120_000);

  it('changes nothing the second time', async () => {
    await application.init();
    const once = application.files();
    const { code, stdout, stderr } = await application.init();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Everything is there already: nothing to change.');
    expect(application.files()).toEqual(once);
  });

  it('writes nothing in a dry run, and shows the same changes', async () => {
    const before = application.files();
    const dry = await application.init(['--dry-run']);
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was written') as unknown });
    expect(application.files()).toEqual(before);
    expect((await application.init()).stdout).toBe(dry.stdout);
  });
});
