import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotEditableError } from '../../../../lib/cli/init/not-editable.error.js';
import { surveyOf } from '../../../../lib/cli/init/survey.js';
import { asNobody } from '../../../support/as-nobody.js';

const MODULE = "import { PaymentsModule } from 'nestjs-payments';\nPaymentsModule.forRoot(options);\n";
const HANDLER =
  "import { OnPayment } from 'nestjs-payments';\nexport class Orders { @OnPayment('*') paid() {} }\n";
let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'payments-survey-'));
  chmodSync(place, 0o755);
  mkdirSync(join(place, 'src'));
  writeFileSync(join(place, 'src', 'money.module.ts'), MODULE);
});
afterEach(() => {
  rmSync(place, { recursive: true });
});

const survey = (...folders: string[]) =>
  surveyOf(
    folders.map((folder) => join(place, folder)),
    ts,
    place,
  );

describe('surveyOf', () => {
  it('takes links that lead nowhere for no files', () => {
    const link = (to: string, name: string): void => {
      symlinkSync(to, join(place, 'src', name));
    };
    link('two.ts', 'one.ts');
    link('one.ts', 'two.ts');
    link('gone.ts', 'nowhere.ts');
    link('money.module.ts/more.ts', 'below-a-file.ts');
    expect(survey('src').registeredIn).toBe(join(place, 'src', 'money.module.ts'));
  });

  it.skipIf(process.platform === 'win32')('names a source that this user may not read', () => {
    writeFileSync(join(place, 'src', 'closed.ts'), '', { mode: 0 });
    const run = () => asNobody(() => survey('src'));
    expect(run).toThrow(new NotEditableError('src/closed.ts cannot be read (EACCES)'));
  });

  it('reads a file once, by the path under which it is found first', () => {
    writeFileSync(join(place, 'src', 'orders.ts'), HANDLER);
    symlinkSync('src', join(place, 'link'), 'junction');
    expect(survey('link', 'src').handler).toMatchObject({
      file: join(place, 'link', 'orders.ts'),
      isUsed: false,
    });
  });
});
