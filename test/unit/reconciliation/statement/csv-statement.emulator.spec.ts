import { expect, it } from 'vitest';
import { csvStatement } from '../../../../lib/reconciliation/statement/csv-statement.js';
import { previewStatement } from '../../../../lib/reconciliation/statement/preview-statement.js';
import { controlOf } from '../../../support/control-caller.js';
import { callerOf, COLLECTION } from '../../../support/gateway-caller.js';
import { startSandbox } from '../../../support/sandbox.js';

it('reads what the emulator writes, without further options', async () => {
  const sandbox = await startSandbox({ clock: 'manual' });
  const gateway = callerOf(sandbox);
  for (const reference of ['order-1', '=1+1']) {
    await gateway.collect({ reference });
    await sandbox.customer(COLLECTION.phone).approve(reference);
  }
  await gateway.payToBank();
  await sandbox.payout('salary-1').pay();
  await controlOf(sandbox).put('/balance', { available: '1000.25' });

  const at = new Date(sandbox.clock.now());
  const collection = {
    kind: 'collection',
    amount: '15000.00',
    fee: '300.00',
    at,
    recipient: COLLECTION.phone,
  };
  const expected = [
    { ...collection, row: 2, reference: 'order-1', isFailed: false },
    { ...collection, row: 3, reference: '=1+1', isFailed: false },
    {
      row: 4,
      kind: 'payout',
      reference: 'salary-1',
      amount: '20000.00',
      fee: '500.00',
      at,
      recipient: '0123456789',
      isFailed: false,
    },
    {
      row: 5,
      kind: 'other',
      reference: undefined,
      amount: '-1007899.75',
      fee: undefined,
      at,
      recipient: undefined,
      isFailed: false,
    },
  ];
  const rows = [];
  for await (const row of csvStatement({ stream: sandbox.statement() }).rows()) rows.push(row);
  expect(rows).toEqual(expected);
  expect(await previewStatement({ stream: sandbox.statement() })).toMatchObject({
    rows: expected,
    problem: undefined,
  });
});
