import { afterAll, beforeAll, expect, it } from 'vitest';
import { Test, type TestingModule } from '@nestjs/testing';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CollectionsService,
  GatewayUnreachableError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  PaymentsJournal,
  PaymentsOverloadError,
  PaymentsRateLimitError,
  PaymentsStorageError,
  PaymentsValidationError,
  ReferenceReusedError,
} from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { PaymentsTestingModule } from 'nestjs-payments/testing';
import { snippetsOf } from '../../support/document-pages.js';

type CustomerWords = (error: unknown, language: 'en' | 'sw') => string;

/** Inside the repository, where the packages that the snippet imports are found. */
const folder = join(import.meta.dirname, `.words-${process.pid}`);

let testing: TestingModule;
let customerWords: CustomerWords;

beforeAll(async () => {
  const code = [...snippetsOf('docs/errors.md').values()].find((text) =>
    text.startsWith('// customer-words.ts'),
  );
  mkdirSync(folder);
  const file = join(folder, 'customer-words.ts');
  writeFileSync(file, code!);
  ({ customerWords } = (await import(file)) as { customerWords: CustomerWords });
  testing = await Test.createTestingModule({ imports: [PaymentsTestingModule.forRoot()] }).compile();
});

afterAll(async () => {
  await testing.close();
  rmSync(folder, { recursive: true });
});

const next = () => testing.get(PaymentsSandbox).next('POST /payments/mobile-money');

it.each<[what: string, fault: () => void, phone: string, english: string, swahili: string]>([
  ['a wrong phone number', () => undefined, '712', 'check the phone number', 'hakikisha namba ya simu'],
  [
    'a refusal',
    () => next().status(422, { code: 'INVALID_NETWORK' }),
    '255712345678',
    'was not accepted',
    'hayakukubaliwa',
  ],
  [
    'a refusal that proves nothing',
    () => next().status(422),
    '255712345678',
    'press Pay again',
    'bonyeza Lipa tena',
  ],
  [
    'a phone that the gateway refuses',
    () => next().status(422, { code: 'INVALID_PHONE' }),
    '255712345678',
    'check the phone number',
    'hakikisha namba ya simu',
  ],
  ['wrong keys', () => next().status(401), '255712345678', 'cannot take payments', 'hatuwezi kupokea malipo'],
  ['a lost answer', () => next().dropAfterProcessing(), '255712345678', 'do not pay again', 'usilipe tena'],
])('the customer words of docs/errors.md say what %s means', async (what, fault, phone, english, swahili) => {
  fault();
  const error: unknown = await testing
    .get(CollectionsService)
    .mobileMoney(
      { reference: what, amount: '500', phone, customer_name: 'Asha', customer_email: 'a@example.com' },
      { deadlineMs: 10_000 },
    )
    .catch((reason: unknown) => reason);
  expect(customerWords(error, 'en')).toContain(english);
  expect(customerWords(error, 'sw')).toContain(swahili);
});

it('the customer words of docs/errors.md let a customer try again whose payment was declined, and a new reference does', async () => {
  const collections = testing.get(CollectionsService);
  const payment = {
    ...{ reference: 'declined', amount: '500', phone: '255712345678' },
    ...{ customer_name: 'Asha', customer_email: 'a@example.com' },
  };
  await collections.mobileMoney(payment);
  await testing.get(PaymentsSandbox).customer(payment.phone).decline('declined');
  await testing.get(PaymentsJournal).settle('collection', 'declined', 'failed'); // as the webhook does
  const error: unknown = await collections.mobileMoney(payment).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ReferenceReusedError);
  expect(customerWords(error, 'en')).toContain('you can try again');
  expect(customerWords(error, 'sw')).toContain('unaweza kujaribu tena');
  const { status } = await collections.mobileMoney({ ...payment, reference: 'declined-2' });
  expect(status).toBe('pending');
});

it('the customer words of docs/errors.md let a customer press Pay again if the call was refused before it sent anything', () => {
  for (const Refusal of [PaymentsOverloadError, PaymentsStorageError]) {
    const error = new Refusal('Nothing was sent.', undefined, 'not-by-this-call');
    expect(customerWords(error, 'en')).toContain('press Pay again');
    expect(customerWords(error, 'sw')).toContain('bonyeza Lipa tena');
  }
});

it('the customer words of docs/errors.md say that nothing was taken only after a refusal that proves it, or a payment that ended', () => {
  const said = [
    new PaymentRejectedError('INVALID_NETWORK', 'Refused.'),
    new ReferenceReusedError('It has ended.'),
    new PaymentRejectedError('HTTP_422', 'Refused.', {}, {}, false),
    new PaymentRejectedError('INVALID_PHONE', 'Refused.', {}, {}, false),
    new PaymentsAuthenticationError('UNAUTHORIZED', 'Wrong keys.'),
    new PaymentsRateLimitError(undefined, 'Turned away.'),
    new PaymentsConfigError('Redirected.'),
    new GatewayUnreachableError('Not sent.'),
    new PaymentsValidationError({ phone: ['phone must be 255 and nine digits'] }),
  ].map((error) => [
    customerWords(error, 'en').includes('Nothing was taken'),
    customerWords(error, 'sw').includes('Hakuna pesa iliyokatwa'),
  ]);
  const [no, yes] = [
    [false, false],
    [true, true],
  ];
  expect(said).toEqual([yes, yes, no, no, no, no, no, no, no]);
});

it('the customer words of docs/errors.md ask for the same payment again after a refused phone that proves nothing', () => {
  const refused = new PaymentRejectedError('INVALID_PHONE', 'Refused.', {}, {}, false);
  expect(customerWords(refused, 'en')).toContain('you will not be charged twice');
  expect(customerWords(refused, 'sw')).toContain('hutatozwa mara mbili');
});

it('the customer words of docs/errors.md never say of an error of the application that nothing was taken', () => {
  expect(customerWords(new Error('The database is away.'), 'en')).toContain('do not pay again');
});
