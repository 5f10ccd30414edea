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
import {
  json,
  reset,
  startMisbehavingGateway,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

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
  merchant = await startMerchant({
    baseUrl: gateway.baseUrl,
    storage,
    probe: { collections: { afterAnswerMs: 1, afterSilenceMs: 1 } },
  });
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

describe('an answer with a final status that does not name its payment', () => {
  const openUnder = (status: string, missing: string): string =>
    `the answer says ${status}, but does not repeat ${missing}: the payment counts as accepted, not as ended`;

  it.each([
    ['failed', {}, 'reference and amount'],
    ['cancelled', { amount: '1180.50', currency: 'TZS' }, 'reference'],
    ['expired', { reference: collectionRequest.reference }, 'amount'],
    ['success', {}, 'reference'],
    ['success', { amount: '1180.50' }, 'reference'],
  ])(
    'leaves a collection open that the probe found %s with no more than %j',
    async (status, named, missing) => {
      gateway.answer(reset, json(envelope({ ...named, status })));
      const first = await merchant.collections.mobileMoney(collectionRequest);
      expect(gateway.seen).toHaveLength(2);
      expect(first.status).toBe('pending');
      expect(first.lastResponse.warnings).toContain(openUnder(status, missing));
      expect((await journal.get(COLLECTION))?.record.state).toBe('accepted');
      const again = await merchant.collections.mobileMoney(collectionRequest);
      expect(again).toEqual(first);
      expect(again.lastResponse.warnings).toContain(openUnder(status, missing));
      expect(gateway.seen).toHaveLength(2);
    },
  );

  it.each([
    ['failed', 'reference and amount'],
    ['paid', 'reference'],
  ])('leaves a payout open that its first answer calls %s', async (status, missing) => {
    gateway.answer(json(envelope({ status })));
    const payout = await merchant.disbursements.bank(bankRequest);
    expect(payout.status).toBe('pending');
    expect(payout.lastResponse.warnings).toContain(openUnder(status, missing));
    expect((await journal.get(PAYOUT))?.record.state).toBe('accepted');
    expect(await merchant.disbursements.bank(bankRequest)).toEqual(payout);
    expect(gateway.seen).toHaveLength(1);
  });

  it('settles a payout as paid without its amount, as a status query does', async () => {
    gateway.answer(json(envelope({ reference: bankRequest.reference, status: 'paid' })));
    const payout = await merchant.disbursements.bank(bankRequest);
    expect(payout.status).toBe('paid');
    expect((await journal.get(PAYOUT))?.record).toMatchObject({ state: 'settled', outcome: 'paid' });
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
