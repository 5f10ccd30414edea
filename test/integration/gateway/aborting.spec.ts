import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import { hearLeakWarnings } from '../../support/leak-warnings.js';
import { startMerchant, WAYS, type Merchant } from '../../support/merchant.js';
import {
  hang,
  json,
  startMisbehavingGateway,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

const REASON = { the: 'caller changed their mind' };

describe.each(WAYS)('aborting a call, %s', (way) => {
  let gateway: MisbehavingGateway;
  let merchant: Merchant;

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    merchant = await startMerchant({ baseUrl: gateway.baseUrl }, way);
  });

  afterEach(async () => {
    await gateway.close();
    await merchant.close();
  });

  it('before it begins rejects with the reason, and nothing is sent', async () => {
    const signal = AbortSignal.abort(REASON);
    await expect(merchant.collections.mobileMoney(collectionRequest, { signal })).rejects.toBe(REASON);
    await expect(merchant.banks.list({ signal })).rejects.toBe(REASON);
    expect(gateway.seen).toHaveLength(0);
  });

  it('while it waits for a connection rejects with the reason', async () => {
    gateway.answer(hang);
    const holders = new AbortController();
    const holding = Array.from({ length: 50 }, () =>
      merchant.banks.list({ signal: holders.signal }).catch((error: unknown) => error),
    );
    await gateway.arrived(50);
    const controller = new AbortController();
    const call = merchant.disbursements.bank(bankRequest, { signal: controller.signal });
    controller.abort(REASON);
    await expect(call).rejects.toBe(REASON);
    holders.abort();
    await Promise.all(holding);
    expect(gateway.seen.filter(({ method }) => method === 'POST')).toHaveLength(0);
  });

  it('by one signal ends any number of them, and Node warns of no leak', async () => {
    gateway.answer(hang);
    const warnings = hearLeakWarnings();
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: 20 }, async (_, index) =>
      merchant.disbursements
        .bank({ ...bankRequest, reference: `payout-${index}` }, { signal })
        .catch((error: unknown) => error),
    );
    await gateway.arrived(20);
    expect(await warnings()).toEqual([]);
    controller.abort(REASON);
    const unknown = expect.objectContaining({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'aborted',
    }) as unknown;
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, () => unknown));
  });

  it('after sending leaves a payment unknown', async () => {
    gateway.answer(hang);
    const controller = new AbortController();
    const call = merchant.disbursements.bank(bankRequest, { signal: controller.signal });
    await Promise.all([
      expect(call).rejects.toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'aborted',
        attempts: [{ phase: 'ambiguous', code: 'ABORTED' }],
      }),
      gateway.arrived(1).then(() => {
        controller.abort(REASON);
      }),
    ]);
  });

  it('after sending ends a read with the reason', async () => {
    gateway.answer(hang);
    const controller = new AbortController();
    const call = merchant.wallet.balance({ signal: controller.signal });
    await Promise.all([
      expect(call).rejects.toBe(REASON),
      gateway.arrived(1).then(() => {
        controller.abort(REASON);
      }),
    ]);
  });

  it('while it waits to try again rejects with the reason', async () => {
    gateway.answer(json({ message: 'Too many' }, 429, { 'retry-after': '20' }));
    const controller = new AbortController();
    merchant.http.axiosRef.interceptors.response.use((response) => {
      setImmediate(() => {
        controller.abort(REASON);
      });
      return response;
    });
    const call = merchant.collections.mobileMoney(collectionRequest, { signal: controller.signal });
    await expect(call).rejects.toBe(REASON);
    expect(gateway.seen).toHaveLength(1);
  });

  it('after the answer changes nothing', async () => {
    gateway.answer(json({ status: 'success', code: 'SUCCESS', message: 'Done', data: [] }));
    const controller = new AbortController();
    await merchant.banks.list({ signal: controller.signal });
    controller.abort(REASON);
    await expect(merchant.banks.list()).resolves.toEqual([]);
  });
});
