import { afterEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import {
  ASHA,
  checked,
  desk,
  everybody,
  file,
  NEEMA,
  OMARI,
  references,
  run,
  sandbox,
  STAFF,
  startMonths,
} from './payroll.months.js';

startMonths();

describe('a copy of a file under another name', () => {
  const copy = (): Promise<string> => desk.write(`${run()}-final.csv`, [ASHA, NEEMA]);

  it('is not paid to those whom the original paid, unless that run is named', async () => {
    await checked();
    await desk.run('pay', file);
    const renamed = await copy();
    const check = await desk.run('check', renamed);
    expect(check.out).toMatch(/line 2: \S+\s500,000 as S-1 of the run month-/);
    expect(check.out).toContain(`--run ${run()}-final --again ${run()}\n`);
    const { code, err } = await desk.run('pay', renamed, '--again', 'another');
    expect({ code, lines: err.trimEnd().split('\n') }).toEqual({
      code: 1,
      lines: [
        expect.stringContaining('Nothing was sent'),
        expect.stringContaining('line 2'),
        expect.stringContaining('line 3'),
      ],
    });
    expect([...references()].sort()).toEqual(everybody());
    expect(await desk.run('pay', renamed, '--again', run())).toMatchObject({ code: 0, err: '' });
    expect(references()).toHaveLength(5);
  });

  it('is not paid to those whom the original may have paid', async () => {
    await checked();
    sandbox.next('POST /disbursements/bank', { reference: `${run()}.S-1` }).dropAfterProcessing();
    expect((await desk.run('pay', file)).code).toBe(3);
    const renamed = await copy();
    await desk.run('check', renamed);
    expect((await desk.run('pay', renamed)).err).toMatch(/^line 2: .*500,000 as S-1/m);
  });

  it('is paid if the original paid nobody', async () => {
    await checked();
    sandbox.next('POST /disbursements/bank').status(422, { code: 'INVALID_ACCOUNT' }).times(2);
    await desk.write(`${run()}.csv`, [ASHA, OMARI]);
    await checked();
    expect((await desk.run('pay', file)).code).toBe(5);
    const renamed = await copy();
    expect((await desk.run('check', renamed)).out).not.toContain('--again');
    expect(await desk.run('pay', renamed)).toMatchObject({ code: 0 });
  });

  it('is the next month when a month has passed', async () => {
    await checked();
    await desk.run('pay', file);
    await desk.passMonth();
    const next = await copy();
    expect((await desk.run('check', next)).out).not.toContain('--again');
    expect(await desk.run('pay', next)).toMatchObject({ code: 0 });
  });
});

describe('another machine with the same database', () => {
  afterEach(() => {
    process.env['PAYROLL_FOLDER'] = join(desk.folder, 'data');
  });

  it('pays nobody under another staff number, whenever it checked the file', async () => {
    await checked();
    process.env['PAYROLL_FOLDER'] = join(desk.folder, 'other');
    await desk.write(`${run()}.csv`, [ASHA.replace('S-1', 'S-9'), OMARI, NEEMA]);
    await checked();
    process.env['PAYROLL_FOLDER'] = join(desk.folder, 'data');
    await desk.write(`${run()}.csv`, STAFF);
    expect((await desk.run('pay', file)).code).toBe(0);

    process.env['PAYROLL_FOLDER'] = join(desk.folder, 'other');
    await desk.write(`${run()}.csv`, [ASHA.replace('S-1', 'S-9'), OMARI, NEEMA]);
    for (const command of ['pay', 'check']) {
      const { code, err } = await desk.run(command, file);
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringMatching(/S-1 .*has left the file/) as unknown,
      });
    }
    expect([...references()].sort()).toEqual(everybody());
  });
});
