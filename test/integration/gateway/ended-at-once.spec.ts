import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type JournalStore, memoryStorage } from 'nestjs-payments';
import {
  bankRecord,
  bankRequest,
  collectionRecord,
  collectionRequest,
  envelope,
} from '../../support/gateway-answers.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import { json, startMisbehavingGateway, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const PAYOUT = { ...SCOPE, family: 'disbursement', reference: bankRequest.reference } as const;
const COLLECTION = { ...SCOPE, family: 'collection', reference: collectionRequest.reference } as const;

let gateway: MisbehavingGateway;
let merchant: Merchant;
let journal: JournalStore;

beforeEach(async () => {
  const storage = memoryStorage();
  journal = storage.journal;
  gateway = await startMisbehavingGateway();
  merchant = await startMerchant({ baseUrl: gateway.baseUrl, storage });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await merchant.close();
  await gateway.close();
});

describe('a success answer whose record has ended', () => {
  it.each(['failed', 'cancelled'])('as %s gives the record, and the reference is used up', async (status) => {
    gateway.answer(json(envelope({ ...bankRecord, status })));
    const payout = await merchant.disbursements.bank(bankRequest);
    expect(payout.status).toBe(status);
    expect(payout.lastResponse.warnings).toEqual([`the payment has ended already: ${status}`]);
    expect((await journal.get(PAYOUT))?.record).toMatchObject({
      state: 'settled',
      outcome: status,
      settledBy: 'status',
    });
    await expect(merchant.disbursements.bank(bankRequest)).rejects.toMatchObject({
      name: 'ReferenceReusedError',
    });
    expect(gateway.seen).toHaveLength(1);
  });

  it('as paid settles a payout, and gives it again', async () => {
    gateway.answer(json(envelope({ ...bankRecord, status: 'paid' })));
    const first = await merchant.disbursements.bank(bankRequest);
    expect(first.lastResponse.warnings).toEqual([]);
    expect((await journal.get(PAYOUT))?.record).toMatchObject({ state: 'settled', outcome: 'paid' });
    expect(await merchant.disbursements.bank(bankRequest)).toEqual(first);
    expect(gateway.seen).toHaveLength(1);
  });

  it('as success settles a collection', async () => {
    gateway.answer(json(envelope({ ...collectionRecord, status: 'success' })));
    await merchant.collections.mobileMoney(collectionRequest);
    expect((await journal.get(COLLECTION))?.record).toMatchObject({ state: 'settled', outcome: 'success' });
  });

  it('in a word of the other family is only accepted', async () => {
    gateway.answer(json(envelope({ ...bankRecord, status: 'expired' })));
    await merchant.disbursements.bank(bankRequest);
    expect((await journal.get(PAYOUT))?.record.state).toBe('accepted');
  });
});

describe("a logger of the application's own that throws", () => {
  beforeEach(() => {
    for (const level of ['debug', 'warn', 'error'] as const) {
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {
        throw new Error('the disk is full');
      });
    }
  });

  it('takes nothing from a payout that was accepted while the journal is away', async () => {
    gateway.answer(json(envelope(bankRecord)));
    vi.spyOn(journal, 'replace').mockRejectedValue(new Error('away'));
    const payout = await merchant.disbursements.bank(bankRequest);
    expect(payout.provider).toBe('provider-b');
    expect(payout.lastResponse.warnings).toEqual([expect.stringContaining('could not be written')]);
  });

  it('does not hide that nothing was sent', async () => {
    vi.spyOn(journal, 'insert').mockRejectedValue(new Error('away'));
    await expect(merchant.disbursements.bank(bankRequest)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
    });
    expect(gateway.seen).toHaveLength(0);
  });
});
