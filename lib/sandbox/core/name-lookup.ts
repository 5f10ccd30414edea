import { type BankRegistry, type SandboxBank } from './banks.js';
import { type NameDirectory } from './name-directory.js';
import { networkOf, isAccountNumber, isPhone } from './recipients.js';
import { type Outcome } from './gateway-answer.js';
import { refused } from './refusal.js';
import { type NameLookupRequest } from './requests.js';

/** Finds the holder of an account (specification, "Endpoints" 5), or refuses the lookup. */
export function lookUpName(
  banks: BankRegistry,
  directory: NameDirectory,
  request: NameLookupRequest,
): Outcome {
  const { channel, account_number: account } = request;
  if (channel === 'BANK') {
    const bank = banks.find(request.bank_code ?? '');
    return bank ? lookUpInBank(directory, account, bank) : refused('INVALID_BANK_CODE');
  }
  if (channel !== 'MOBILE_MONEY' && channel !== 'PARTNERPESA') return refused('INVALID_CHANNEL');
  const name = isPhone(account) ? directory.holderOf(account) : undefined;
  if (name === undefined) return refused('ACCOUNT_NOT_FOUND');
  const result = { channel, account_number: account, account_name: name };
  return { data: channel === 'MOBILE_MONEY' ? { ...result, network: networkOf(account) } : result };
}

function lookUpInBank(directory: NameDirectory, account: string, bank: SandboxBank): Outcome {
  const name = isAccountNumber(account) ? directory.holderOf(account) : undefined;
  if (name === undefined) return refused('ACCOUNT_NOT_FOUND');
  return {
    data: {
      channel: 'BANK',
      account_number: account,
      account_name: name,
      bank_code: bank.code,
      bank_name: bank.name,
    },
  };
}
