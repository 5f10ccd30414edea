import { instantOf } from '../../../common/instant.js';
import { centsOf } from '../../core/amounts.js';
import { codeOfTwo, type SandboxBank } from '../../core/banks.js';
import { DEFAULT_MERCHANT } from '../../core/merchant.js';
import { type NameDirectory } from '../../core/name-directory.js';
import { statementOf } from '../../core/statement.js';
import { type Wallet } from '../../core/wallet.js';
import { ControlProblem } from '../control-problem.js';
import { sandboxBalance } from '../record-mappers.js';
import { type SandboxDirectoryEntry } from '../resources.js';
import { balanceListing } from '../listings.js';
import { listed } from '../lists.js';
import { type ControlCall, ControlFile } from '../control-operations.js';
import { items, optionalText, text } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

/** Wallets, banks and account holders. */
export function moneyHandlers({ gateway, directory: shared }: SandboxParts) {
  const changed = (body: ControlCall['body'], change: (wallet: Wallet) => void) =>
    sandboxBalance(gateway.adjustWallet(optionalText(body, 'merchant') ?? DEFAULT_MERCHANT, change));
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
    readStatement: ({ query }: ControlCall) => {
      const span = { from: timeOf(query, 'from'), to: timeOf(query, 'to') };
      const wanted = query.get('merchant') ?? DEFAULT_MERCHANT;
      // Reading creates no merchant, as below.
      const merchant = gateway.merchants.find(({ name }) => name === wanted) ?? NOTHING_MOVED;
      return new ControlFile('statement.csv', 'text/csv; charset=utf-8', statementOf(merchant, span));
    },
    listBanks: () => ({ items: gateway.banks.all() }),
    replaceBanks: ({ body }: ControlCall) => {
      const banks = items(body) as readonly SandboxBank[];
      const twice = codeOfTwo(banks);
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

const NOTHING_MOVED: Parameters<typeof statementOf>[0] = {
  collections: new Map(),
  payouts: new Map(),
  adjustments: [],
};

function timeOf(query: ControlCall['query'], name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const time = instantOf(text);
  if (time !== undefined) return time;
  const message = `\`${name}\` must be a time with its zone: write ${name}=2026-11-20T00:00:00Z.`;
  throw new ControlProblem(400, 'BAD_FILTER', message);
}

function directoryList(directory: NameDirectory): { readonly items: readonly SandboxDirectoryEntry[] } {
  return {
    items: directory.entries().map(([account_number, account_name]) => ({ account_number, account_name })),
  };
}
