// Calling the gateway: what goes in and what comes out.
import {
  addMoney,
  type AttemptInfo,
  type Bank,
  type BankDirectoryOptions,
  type BankDisbursement,
  BankDisbursementDto,
  type BanksService,
  type CallOptions,
  type CollectionPayment,
  type CollectionsService,
  type compareMoney,
  type DisbursementsService,
  type EnlistedPayment,
  type formatTzs,
  type LastResponse,
  type MobileMoneyDisbursement,
  MobileMoneyCollectionDto,
  MobileMoneyDisbursementDto,
  type MoneyInput,
  NameLookupDto,
  type NameLookupResult,
  type NameLookupService,
  type normalizeTzPhone,
  PartnerWalletCollectionDto,
  type PaymentsResponse,
  type WalletBalance,
  type WalletService,
} from 'nestjs-payments';
import { type Equal, type Expect } from './expect.js';

/** The fields that every record has. */
type Certain<T> = keyof { [Name in keyof T as T extends Record<Name, T[Name]> ? Name : never]: T[Name] };

type Certainly = 'reference' | 'amount' | 'currency' | 'status';

export type Checks = [
  Expect<Equal<Certain<CollectionPayment>, Certainly>>,
  Expect<Equal<Certain<BankDisbursement>, Certainly>>,
  Expect<Equal<Certain<MobileMoneyDisbursement>, Certainly>>,
  Expect<Equal<Certain<WalletBalance>, 'balance' | 'available_balance' | 'locked_balance'>>,
  Expect<Equal<Certain<Bank>, 'code'>>,
  Expect<Equal<Certain<NameLookupResult>, 'channel' | 'account_number' | 'account_name'>>,
  Expect<Equal<Omit<CollectionPayment, 'metadata'>['amount'], string>>,
  Expect<Equal<ReturnType<typeof addMoney>, string>>,
  Expect<Equal<ReturnType<typeof compareMoney>, -1 | 0 | 1>>,
  Expect<Equal<Parameters<typeof formatTzs>, [amount: MoneyInput, locale?: string | undefined]>>,
  Expect<Equal<ReturnType<typeof normalizeTzPhone>, string | undefined>>,
  Expect<Equal<keyof BankDirectoryOptions, 'maxAgeMs' | 'staleIfErrorMs'>>,
  Expect<Equal<MoneyInput, string | number | bigint>>,
  Expect<Equal<CollectionPayment['amount'], string>>,
  Expect<Equal<CollectionPayment['fee'], string | undefined>>,
  Expect<Equal<CollectionPayment['metadata'], Readonly<Record<string, unknown>> | null | undefined>>,
  Expect<Equal<BankDisbursement['total_amount'], string | undefined>>,
  Expect<Equal<MobileMoneyDisbursement['network'], string | undefined>>,
  Expect<Equal<WalletBalance['available_balance'], string>>,
  Expect<
    Equal<
      Pick<Bank, 'id' | 'name' | 'code'>,
      { readonly id?: number; readonly name?: string; readonly code: string }
    >
  >,
  Expect<Equal<NameLookupResult['channel'], 'BANK' | 'MOBILE_MONEY' | 'PARTNERPESA'>>,
  Expect<Equal<AttemptInfo['phase'], 'not-sent' | 'ambiguous' | 'answered'>>,
  Expect<Equal<LastResponse['warnings'], readonly string[]>>,
  Expect<Equal<LastResponse['attempts'], readonly AttemptInfo[]>>,
  Expect<Equal<Awaited<ReturnType<CollectionsService['mobileMoney']>>, PaymentsResponse<CollectionPayment>>>,
  Expect<Equal<Awaited<ReturnType<BanksService['find']>>, PaymentsResponse<Bank> | undefined>>,
  Expect<
    Equal<keyof CallOptions, 'idempotencyKey' | 'attempt' | 'signal' | 'timeoutMs' | 'deadlineMs' | 'retry'>
  >,
];

const customer = {
  phone: '255712345678',
  customer_name: 'Asha Mushi',
  customer_email: 'asha@example.com',
} as const;

export async function collect(collections: CollectionsService): Promise<string> {
  const payment = await collections.mobileMoney({ reference: 'order-1', amount: '1180.50', ...customer });
  await collections.mobileMoney(
    { reference: 'order-2', amount: 1180.5, currency: 'TZS', metadata: { basket: [1, 2] }, ...customer },
    {
      idempotencyKey: 'key',
      attempt: 1,
      signal: AbortSignal.timeout(1),
      timeoutMs: 1,
      deadlineMs: 1,
      retry: false,
    },
  );
  await collections.partnerWallet({ reference: 'order-3', amount: 1180n, ...customer });
  await collections.partnerWallet(Object.assign(new PartnerWalletCollectionDto(), customer));
  await collections.mobileMoney(Object.assign(new MobileMoneyCollectionDto(), customer));
  const { requestId, idempotencyKey, httpStatus } = payment.lastResponse;
  return [requestId, idempotencyKey, httpStatus, payment.status].join(' ');
}

export async function payOut(
  disbursements: DisbursementsService,
  names: NameLookupService,
  wallet: WalletService,
  banks: BanksService,
): Promise<string> {
  const balance = await wallet.balance({ retry: false });
  const bank = await banks.find('ABC', { timeoutMs: 1_000 });
  const holder = await names.lookup({ channel: 'BANK', account_number: '0123456789', bank_code: 'ABC' });
  await names.lookup(new NameLookupDto());
  const bankName = holder.channel === 'BANK' ? holder.bank_name : '';
  const network = holder.channel === 'MOBILE_MONEY' ? holder.network : '';
  const payout = await disbursements.bank({
    reference: 'salary-1',
    bank_code: bank?.code ?? 'ABC',
    account_number: holder.account_number,
    account_name: holder.account_name,
    amount: '250000',
    remarks: 'November',
  });
  await disbursements.mobileMoney({
    reference: 'salary-2',
    recipient_phone: '255712345678',
    recipient_name: 'Asha Mushi',
    amount: 250_000,
    network: 'NET_ONE',
    remarks: 'November',
  });
  await disbursements.bank(new BankDisbursementDto());
  await disbursements.mobileMoney(new MobileMoneyDisbursementDto());
  return [balance.locked_balance, bankName, network, payout.total_amount, (await banks.list()).length].join();
}

/** A result keeps `lastResponse` in a variable of its own type. Optional, because JSON and copies of the result lack it. */
export async function keep(
  collections: CollectionsService,
  disbursements: DisbursementsService,
  names: NameLookupService,
  wallet: WalletService,
  banks: BanksService,
): Promise<readonly (readonly string[] | undefined)[]> {
  const payment: CollectionPayment = await collections.mobileMoney(new MobileMoneyCollectionDto());
  const toBank: BankDisbursement = await disbursements.bank(new BankDisbursementDto());
  const toPhone: MobileMoneyDisbursement = await disbursements.mobileMoney(new MobileMoneyDisbursementDto());
  const holder: NameLookupResult = await names.lookup(new NameLookupDto());
  const balance: WalletBalance = await wallet.balance();
  const bank: Bank | undefined = await banks.find('ABC');
  return [payment, toBank, toPhone, holder, balance, bank].map((result) => result?.lastResponse?.warnings);
}

export async function wrongCalls(collections: CollectionsService, names: NameLookupService): Promise<void> {
  // @ts-expect-error -- the customer's e-mail address is required
  await collections.mobileMoney({
    reference: 'a',
    amount: '1',
    phone: '255712345678',
    customer_name: 'Asha',
  });
  // @ts-expect-error -- the only currency is TZS
  await collections.mobileMoney({ reference: 'a', amount: '1', currency: 'USD', ...customer });
  // @ts-expect-error -- money is a string, a number or a bigint
  await collections.mobileMoney({ reference: 'a', amount: { value: 1 }, ...customer });
  // @ts-expect-error -- retries are configured on the module; a call can only do without
  await collections.mobileMoney({ reference: 'a', amount: '1', ...customer }, { retry: true });
  // @ts-expect-error -- three channels exist
  await names.lookup({ channel: 'CARD', account_number: '1' });
}

export function cost(payout: BankDisbursement, payment: CollectionPayment): string[] {
  // @ts-expect-error -- the answer may leave out the fee
  addMoney(payout.amount, payout.fee);
  // @ts-expect-error -- the answer may leave out the amount less the fee
  addMoney(payment.net_amount);
  return [addMoney(payout.amount, payout.fee ?? '1500'), addMoney(payment.amount)];
}

export function fields(
  payment: PaymentsResponse<CollectionPayment>,
  payout: BankDisbursement,
  holder: NameLookupResult,
): unknown[] {
  // @ts-expect-error -- no such field
  const { net_ammount } = payment;
  // @ts-expect-error -- no such field
  if (payment.paid) return [net_ammount];
  const lastResponse: LastResponse | undefined = payout.lastResponse;
  // @ts-expect-error -- only the holder of a mobile wallet has it
  const { network } = holder;
  return [
    lastResponse,
    network,
    (payment as { extra?: unknown }).extra,
    (payout as { extra?: unknown }).extra,
    (holder as { extra?: unknown }).extra,
  ];
}

export async function enlisting(
  collections: CollectionsService,
  disbursements: DisbursementsService,
  transaction: unknown,
): Promise<string> {
  const payout: EnlistedPayment<BankDisbursement> = await disbursements.enlistBank(
    transaction,
    new BankDisbursementDto(),
    { idempotencyKey: 'a', attempt: 2 },
  );
  const made: BankDisbursement = await payout.send({ timeoutMs: 1_000, retry: false });
  const asked = await collections.enlistPartnerWallet(transaction, {
    reference: 'a',
    amount: '1',
    ...customer,
  });
  // @ts-expect-error -- its limits are those of send()
  await disbursements.enlistMobileMoney(transaction, new MobileMoneyDisbursementDto(), { timeoutMs: 1 });
  // @ts-expect-error -- the key is enlisted already
  await payout.send({ idempotencyKey: 'b' });
  // @ts-expect-error -- the customer's e-mail address is required
  await collections.enlistMobileMoney(transaction, { reference: 'a', amount: '1', phone: '255712345678' });
  return [made.bank_code, asked.state, (await asked.send()).status].join();
}
