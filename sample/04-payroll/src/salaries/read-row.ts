import { addMoney, compareMoney, normalizeTzPhone } from 'nestjs-payments';
import { isName } from './names.rule.js';
import { type RawRow } from './read-csv.js';
import { type Recipient, type SalaryRow } from './salary-row.js';

const AMOUNT = /^(?:0|[1-9]\d{0,12})(?:\.\d{1,2})?$/;
const ACCOUNT = /^[0-9A-Za-z]{4,34}$/;

/** A row, or all its problems. */
export type ReadRow = { readonly row: SalaryRow } | { readonly problems: readonly string[] };

export function readRow({ line, cells }: RawRow): ReadRow {
  const { reference = '', name = '', amount = '', remarks = '' } = cells;
  const recipient = readRecipient(cells);
  const problems = [
    isName(reference) ? [] : ['reference must be a staff number of letters, digits, - and _'],
    /\p{L}/u.test(name) ? [] : ['name is empty'],
    isAmount(amount)
      ? []
      : ['amount must be greater than 0 and plain: write 500000 or 1180.50, without separators'],
    'problems' in recipient ? recipient.problems : [],
  ].flat();
  if (problems.length > 0 || 'problems' in recipient) return { problems };
  return {
    row: { line, reference, name, amount: addMoney(amount), recipient, remarks: remarks || undefined },
  };
}

function isAmount(text: string): boolean {
  return AMOUNT.test(text) && compareMoney(text, '0') > 0;
}

function readRecipient({
  bank_code: bank = '',
  account_number: account = '',
  phone = '',
}: RawRow['cells']): Recipient | { readonly problems: readonly string[] } {
  const toBank = bank !== '' || account !== '';
  if (toBank === (phone !== '')) {
    return { problems: ['write either bank_code and account_number, or phone'] };
  }
  return toBank ? readBank(bank, account) : readPhone(phone);
}

function readBank(bank: string, account: string): Recipient | { readonly problems: readonly string[] } {
  const problems = [
    bank === '' ? ['bank_code is empty'] : [],
    ACCOUNT.test(account)
      ? []
      : [
          'account_number must be 4 to 34 letters and digits; a spreadsheet keeps it whole if the column is text',
        ],
  ].flat();
  return problems.length > 0 ? { problems } : { kind: 'bank', bankCode: bank.toUpperCase(), account };
}

function readPhone(written: string): Recipient | { readonly problems: readonly string[] } {
  const phone = normalizeTzPhone(written);
  if (phone !== undefined) return { kind: 'mobile', phone };
  return { problems: ['phone is no Tanzanian number: write 0712 345 678 or +255 712 345 678'] };
}
