import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PayrollDesk } from './payroll.desk.js';

const FIRST_BOOT_MS = 60_000;

export const ASHA = 'S-1,Asha Mushi,500000,BSB,0150234567801,,';
export const OMARI = 'S-2,Omari Bakari Juma,750000.50,CCB,0150234567802,,Overtime included';
export const NEEMA = 'S-3,Neema Temba,300000,,,0712 345 603,';
export const STAFF = [ASHA, OMARI, NEEMA];

export let sandbox: PaymentsSandbox;
export let desk: PayrollDesk;
/** The salaries of this test's month. */
export let file: string;
let months = 0;

/** Starts one emulator and one journal for a spec's file, and a new month for each test. */
export function startMonths(): void {
  beforeAll(async () => {
    desk = await PayrollDesk.open();
    sandbox = await PaymentsSandbox.start({ clock: 'manual', startingBalance: '5000000' });
    Object.assign(process.env, desk.environment(sandbox));
    await desk.openJournal();
  }, FIRST_BOOT_MS);
  beforeEach(async () => {
    months += 1;
    await desk.passMonth();
    file = await desk.write(`${run()}.csv`, STAFF);
    sandbox.directory.register('0150234567801', 'ASHA MUSHI');
    sandbox.directory.register('0150234567802', 'Omari B. Juma');
    sandbox.directory.register('255712345603', 'Temba, Neema');
  });
  afterEach(() => sandbox.reset());
  afterAll(async () => {
    await sandbox.stop();
    await desk.close();
  });
}

export function run(): string {
  return `month-${months}`;
}

export async function checked(): Promise<void> {
  expect(await desk.run('check', file)).toMatchObject({ code: 0, err: '' });
}

/** The references of the gateway's payouts. */
export function references(): readonly string[] {
  return sandbox.payouts().map(({ reference }) => reference);
}

/** The references of this month's staff. */
export function everybody(): readonly string[] {
  return ['S-1', 'S-2', 'S-3'].map((reference) => `${run()}.${reference}`);
}
