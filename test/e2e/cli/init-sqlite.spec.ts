import { afterEach, beforeAll, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bundleCli, environmentOf } from '../../support/cli-process.js';
import { deliverEvent } from '../../support/deliver-event.js';
import { describeWithSqlite } from '../../support/sqlite-file.js';
import { InitApplication, SKELETONS } from './init-application.js';

let application: InitApplication;

describeWithSqlite('a new application with the line of init for SQLite', () => {
  beforeAll(bundleCli);
  afterEach(() => {
    application.remove();
  });

  it.each(SKELETONS)(
    '%s boots with the line that init wrote as a comment, and handles no webhook again after a restart',
    async (skeleton) => {
      application = new InitApplication(skeleton);
      await application.init();
      const module = application.read('src/app.module.ts');
      const line = /\/\/ (storage: sqliteStorage\(.*,)/;
      expect(module).toMatch(line);
      const [, statement] = /\((import .*)\):/.exec(module) ?? [];
      application.write('src/app.module.ts', `${statement};\n${module.replace(line, '$1')}`);
      expect(await application.typeErrors()).toEqual([]);

      const sandbox = await PaymentsSandbox.start({ clock: 'manual' });
      application.write(
        '.env',
        Object.entries(environmentOf(sandbox))
          .map(([name, value]) => `${name}=${value}`)
          .join('\n'),
      );
      const logs: string[] = [];
      for (let start = 1; start <= 2; start += 1) {
        const running = await application.boot();
        try {
          const [, address] = await running.until(/Listening on (\S+)/);
          const webhookUrl = `${address}/webhooks/payments`;
          expect(await deliverEvent({ webhookUrl }, sandbox, 'order-1')).toBe(200);
        } finally {
          await running.stop();
        }
        logs.push(running.log);
      }
      expect(logs.map((log) => log.includes('Paid: "order-1"'))).toEqual([true, false]);
      expect(Object.keys(application.files())).toContain('payments.db');
      await sandbox.stop();
    },
    120_000,
  );
});
