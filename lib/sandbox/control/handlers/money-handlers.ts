import { centsOf } from '../../core/amounts.js';
import { codesOf, type SandboxBank } from '../../core/banks.js';
import { DEFAULT_MERCHANT } from '../../core/merchant.js';
import { type NameDirectory } from '../../core/name-directory.js';
import { type Wallet } from '../../core/wallet.js';
import { ControlProblem } from '../control-problem.js';
import { sandboxBalance } from '../record-mappers.js';
import { type SandboxDirectoryEntry } from '../resources.js';
import { balanceListing } from '../listings.js';
import { listed } from '../lists.js';
import { type ControlCall } from '../control-operations.js';
import { items, optionalText, text } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

/** Wallets, banks and account holders. */
export function moneyHandlers({ gateway, directory: shared }: SandboxParts) {
  const changed = (body: ControlCall['body'], change: (wallet: Wallet) => void) =>
    sandboxBalance(gateway.changeWallet(optionalText(body, 'merchant') ?? DEFAULT_MERCHANT, change));
  const directoryOf = (merchant: string | undefined) =>
    merchant === undefined ? shared : gateway.merchant(merchant).directory;

  return {
    listBalances: ({ query }: ControlCall) => listed(balanceListing(gateway.merchants), query),
    setBalance: ({ body }: ControlCall) =>
      changed(body, (wallet) => {
        wallet.hold(centsOf(text(body, 'available')));
      }),
    topUpBalance: ({ body }: ControlCall) =>
      changed(body, (wallet) => {
        wallet.receive(centsOf(text(body, 'amount')));
      }),
    listBanks: () => ({ items: gateway.banks.all() }),
    replaceBanks: ({ body }: ControlCall) => {
      const banks = items(body) as readonly SandboxBank[];
      const codes = banks.flatMap(codesOf);
      const twice = codes.find((code, index) => codes.indexOf(code) < index);
      if (twice !== undefined) {
        const message = `Two banks have the code ${twice}: write each code once.`;
        throw new ControlProblem(422, 'INVALID_BODY', message);
      }
      gateway.banks.replace(banks);
      return { items: gateway.banks.all() };
    },
    listDirectory: ({ query }: ControlCall) => {
      const wanted = query.get('merchant');
      if (wanted === undefined) return directoryList(shared);
      // Reading creates no merchant: a GET needs no Origin, so any web page can send one.
      const merchant = gateway.merchants.find(({ name }) => name === wanted);
      return merchant ? directoryList(merchant.directory) : { items: [] };
    },
    replaceDirectory: ({ body }: ControlCall) => {
      const directory = directoryOf(optionalText(body, 'merchant'));
      const entries = items(body) as readonly SandboxDirectoryEntry[];
      directory.replace(entries.map(({ account_number, account_name }) => [account_number, account_name]));
      return directoryList(directory);
    },
  };
}

function directoryList(directory: NameDirectory): { readonly items: readonly SandboxDirectoryEntry[] } {
  return {
    items: directory.entries().map(([account_number, account_name]) => ({ account_number, account_name })),
  };
}
