import { type ValuesOf } from '../command-line.js';
import { flag, text } from '../command.js';

/** The options of `conformance`. */
export const CONFORMANCE_OPTIONS = {
  plan: flag('print what would be asked, how many requests and how much money, and send nothing'),
  out: text('<file>', 'write what was learnt, for the emulator and for --check: a new gateway.json'),
  check: text(
    '<file>',
    'ask again, and compare with this gateway.json: exit code 1 if the gateway has changed',
  ),
  report: text('<file>', 'write a report: a new file that ends with .md or .html'),
  letter: text('<file>', "write a letter to the gateway's support with the open questions: a new file"),
  record: text('<file>', "write the gateway's answers for GatewayReplay in tests: a new file"),
  journal: text(
    '<file>',
    'where every request is written down before it is sent (default: conformance.jsonl)',
  ),
  'max-amount': text(
    '<TZS>',
    'the most money that may move in this run, in and out together, without fees (default: 0)',
  ),
  'max-requests': text('<number>', 'the most requests of this run (default: 200)'),
  amount: text(
    '<TZS>',
    'the amount of a payment (default: 1.00); the smallest amount is looked for up to 1000.00, within --max-amount',
  ),
  phone: text('<number>', 'phone of a customer of yours who is asked for money: 255XXXXXXXXX'),
  'partner-phone': text('<number>', 'the same in the partner wallet'),
  'recipient-phone': text('<number>', 'phone that payouts go to'),
  network: text('<name>', 'network of --recipient-phone'),
  'bank-code': text('<code>', 'bank of --bank-account, as the gateway lists it'),
  'long-bank-code': text('<code>', 'another spelling of the same code'),
  'bank-account': text('<number>', 'bank account that payouts go to'),
  'account-name': text('<name>', 'holder of --bank-account'),
  'unknown-account': text('<number>', 'account number of the same bank that nobody has'),
  'collection-status-path': text('<path>', 'where a collection could be read, with {reference} in it'),
  'payout-status-path': text('<path>', 'where a payout could be read, with {reference} in it'),
  'above-balance': text('<TZS>', 'an amount that is more than the wallet holds'),
  'after-an-hour': flag(
    'also ask whether a key is remembered for an hour: the run says when to run the same command again',
  ),
  listen: text('<port>', 'hear webhooks on this port; needs --public-url'),
  'public-url': text(
    '<url>',
    "the webhook address that the gateway has, which leads to --listen: a tunnel's, for example",
  ),
  wait: text('<duration>', 'with --listen: how long webhooks are waited for at most (default: 10m)'),
  dotenv: text(
    '<file>',
    'variables of the application; variables that are set win (default: .env, if it exists)',
  ),
  json: flag('print each conclusion as one line of JSON; with --plan the plan as one document'),
};

export type ConformanceValues = ValuesOf<typeof CONFORMANCE_OPTIONS>;
