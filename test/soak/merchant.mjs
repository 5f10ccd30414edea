// A merchant's application that makes payments as fast as its concurrency lets it, and counts their results.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import {
  BanksService,
  CollectionsService,
  DisbursementsService,
  memoryStorage,
  PaymentOutcomeUnknownError,
  PaymentsJournal,
  PaymentsModule,
} from 'nestjs-payments';

const CUSTOMER = { phone: '255712345678', customer_name: 'Asha Juma', customer_email: 'asha@example.com' };
const BANK = { bank_code: 'BSB', account_number: '0123456789', account_name: 'Asha Juma', remarks: 'Salary' };
const MOBILE = {
  recipient_phone: '255712345678',
  recipient_name: 'Asha Juma',
  network: 'NET_ONE',
  remarks: 'Bonus',
};

/** Fewer than are made while warming up, so that a full journal is what the memory begins with. */
const REMEMBERED = 500;

/** The result of a payment that its caller got. */
export const RESOLVED = 1;
export const REFUSED = 2;

/** @param most How many calls there will be. */
export async function startMerchant(baseUrl, most) {
  const app = await NestFactory.createApplicationContext(
    PaymentsModule.forRoot({
      baseUrl,
      apiKey: 'pk_test_soak',
      apiSecret: 'sk_test_soak',
      timeoutMs: 400,
      retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 10 },
      probe: { collections: { afterAnswerMs: 5, afterSilenceMs: 5 } },
      storage: memoryStorage({ maxEntries: REMEMBERED }),
    }),
    { logger: false },
  );
  const collections = app.get(CollectionsService);
  const disbursements = app.get(DisbursementsService);
  const banks = app.get(BanksService);
  const journal = app.get(PaymentsJournal);
  const operations = [
    ['collection', (payment) => collections.mobileMoney({ ...payment, ...CUSTOMER })],
    ['collection', (payment) => collections.partnerWallet({ ...payment, ...CUSTOMER })],
    ['disbursement', (payment) => disbursements.bank({ ...payment, ...BANK })],
    ['disbursement', (payment) => disbursements.mobileMoney({ ...payment, ...MOBILE })],
    [undefined, () => banks.list()],
  ];
  const ends = new Map();
  // By the number of the call, outside the heap that is measured.
  const told = new Uint8Array(most + 1);

  async function call(number) {
    const [family, make] = operations[number % operations.length];
    const reference = referenceOf(number);
    const end = await make({ reference, amount: '100.00' }).then(
      () => 'resolved',
      (error) => error,
    );
    const name = end === 'resolved' ? end : end.name;
    ends.set(name, (ends.get(name) ?? 0) + 1);
    if (family === undefined) return;
    // An operator closes what is unknown, else the journal would rightly keep it forever.
    if (end instanceof PaymentOutcomeUnknownError) await journal.settle(family, reference, 'cancelled');
    else told[number] = end === 'resolved' ? RESOLVED : REFUSED;
  }

  let made = 0;
  return {
    ends,
    /** References of the payments that came to this. */
    references: (fate) => [...told.keys()].filter((number) => told[number] === fate).map(referenceOf),
    /** Makes this many calls. */
    async make(calls, concurrency) {
      const last = made + calls;
      const caller = async () => {
        while (made < last) await call((made += 1));
      };
      await Promise.all(Array.from({ length: concurrency }, caller));
    },
    close: () => app.close(),
  };
}

function referenceOf(number) {
  return `soak-${number}`;
}
