import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, type SandboxExchange, type SandboxOperation } from 'nestjs-payments/sandbox';
import { operationOf } from '../../support/gateway-contract.js';
import { type Merchant, merchantServices, startMerchant } from '../../support/merchant.js';
import { json, startMisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { MONEY_CALLS, type OperationCall, READ_CALLS } from '../../support/operation-calls.js';
import { startSandbox } from '../../support/sandbox.js';

let sandbox: PaymentsSandbox;
let merchant: Merchant;
let exchanges: SandboxExchange[];

beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  merchant = await startMerchant({ ...sandbox.moduleOptions(), timeoutMs: 2_000 });
  exchanges = [];
  sandbox.on('exchange', (exchange) => exchanges.push(exchange));
});

afterEach(async () => {
  await merchant.close();
  await sandbox.stop();
});

/** Calls with success, then drops the answer to the next call of the same operation. */
async function dropSecondAnswer(call: OperationCall): Promise<void> {
  await call(merchant, { reference: 'first' });
  sandbox.next(operationOf(exchanges[0]!.request) as SandboxOperation).dropAfterProcessing();
}

describe.each(Object.entries({ ...MONEY_CALLS, ...READ_CALLS }))('%s', (operation, call) => {
  it('is answered by the emulator, and the record is read without a warning', async () => {
    const { lastResponse } = await call(merchant, { reference: 'first' });
    expect(lastResponse).toMatchObject({ httpStatus: 200, warnings: [] });
  });

  it('is named by the error of its call', async () => {
    const options = { ...sandbox.moduleOptions(), apiKey: 'pk_test_nobody' };
    await expect(
      call(merchantServices(options, merchant.http), { reference: 'first' }),
    ).rejects.toMatchObject({
      name: 'PaymentsAuthenticationError',
      operation,
    });
  });
});

describe.each(Object.entries(READ_CALLS))('%s', (_, call) => {
  it('is sent without a key, and again after a lost answer', async () => {
    await dropSecondAnswer(call);
    expect((await call(merchant, { reference: 'lost' })).lastResponse.attempts).toHaveLength(2);
    expect(exchanges[0]?.request.headers).not.toHaveProperty('idempotency-key');
  });
});

describe.each(Object.entries(MONEY_CALLS))('%s', (operation, call) => {
  it('is sent with a key, and never again after a lost answer', async () => {
    await dropSecondAnswer(call);
    const unknown = { name: 'PaymentOutcomeUnknownError', operation, evidence: 'no-answer' };
    await expect(call(merchant, { reference: 'lost' })).rejects.toMatchObject(unknown);
    await expect(call(merchant, { reference: 'lost' })).rejects.toMatchObject(unknown);
    expect(exchanges).toHaveLength(2);
    expect(exchanges[0]?.request.headers).toHaveProperty('idempotency-key');
  });

  it.each(['reference', 'amount', 'currency'])('is unknown if the answer has another %s', async (field) => {
    await call(merchant, { reference: 'first' });
    const answer = JSON.parse(exchanges[0]?.answer ?? '') as { readonly data: object };
    const gateway = await startMisbehavingGateway();
    gateway.answer(json({ ...answer, data: { ...answer.data, [field]: '1.00' } }));
    const another = merchantServices({ baseUrl: gateway.baseUrl }, merchant.http);
    await expect(call(another, { reference: 'first' })).rejects.toMatchObject({
      operation,
      evidence: 'echo-mismatch',
    });
    await gateway.close();
  });
});
