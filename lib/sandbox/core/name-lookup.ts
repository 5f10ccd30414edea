import { LOOKUP_CHANNELS } from '../../common/vocabulary.js';
import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type BankRegistry } from './banks.js';
import { type NameDirectory } from './name-directory.js';
import { networkOf, isAccountNumber, isPhone } from './recipients.js';
import { type Outcome } from './gateway-answer.js';
import { refused } from './refusal.js';
import { type NameLookupRequest } from '../openapi/requests.generated.js';

/** Finds the holder of an account (specification, "Endpoints" 5), or refuses the lookup. */
export function lookUpName(
  banks: BankRegistry,
  directory: NameDirectory,
  request: NameLookupRequest,
  facts: ResolvedFacts,
): Outcome {
  const { channel, account_number: account, bank_code: code } = request;
  if (!isChannel(channel) || facts[`lookup of ${channel}`] === 'refused') return refused('INVALID_CHANNEL');
  // The document has it as text for BANK, and as anything for the others.
  const bank = channel === 'BANK' ? banks.findOrRefuse(String(code), 'INVALID_BANK_CODE') : undefined;
  if (bank && 'status' in bank) return bank;
  const isWellFormed = bank ? isAccountNumber(account) : isPhone(account);
  const name = isWellFormed ? directory.holderOf(account) : undefined;
  if (name === undefined) return refused('ACCOUNT_NOT_FOUND');
  const result = { channel, account_number: account, account_name: name };
  if (bank) return { data: { ...result, bank_code: code, bank_name: bank.name } };
  return { data: channel === 'MOBILE_MONEY' ? { ...result, network: networkOf(account) } : result };
}

function isChannel(channel: string): channel is (typeof LOOKUP_CHANNELS)[number] {
  return LOOKUP_CHANNELS.some((known) => known === channel);
}
