import { type ValuesOf } from '../command-line.js';
import { flag, text, texts } from '../command.js';
import { APPLICATION_OPTIONS } from '../with-application.js';
import { readableBy } from './private-file.js';

export const PAYOUT_OPTIONS = {
  check: flag('load the file, if that is not done yet, and look every recipient up'),
  accept: texts(
    '<keys>',
    'pay these blocked lines anyway, for example "S-001,S-002"; with --because; repeatable',
  ),
  because: text('<text>', 'with --accept: why, for the audit trail'),
  approve: flag('let the batch be paid; by another person than who loaded it, with --digest'),
  digest: text('<text>', 'with --approve: what --check printed of the lines that were looked at'),
  'without-blocked': flag('with --approve: blocked lines stay unpaid'),
  run: flag('pay, or continue after a pause or a crash; Ctrl-C pauses'),
  'ask-again': flag('send lines without a clear answer once more, with the same key and bytes'),
  settle: texts(
    '<key=paid>',
    "write down what the gateway's support says of a line: paid or failed; repeatable",
  ),
  report: flag('say where the batch is'),
  format: text('<name>', 'with --report: its lines as csv or json, or a summary by state and bank'),
  out: text('<file>', `with --format: write it to a new file${readableBy()}`),
  cancel: flag('end the batch forever: what is not sent is never sent'),
  list: flag('list the batches'),
  by: text('<person>', 'who does it; needed by everything that changes the batch or sends money'),
  name: text('<batch>', "the batch's name, the beginning of every reference (default: the file's name)"),
  again: texts(
    '<batch>',
    'with --check: the same lines were loaded as this batch, and are to be paid under this name too',
  ),
  ...APPLICATION_OPTIONS,
  json: flag('print one JSON document; with --run a line for each progress, and the summary as the last one'),
};

export type PayoutValues = ValuesOf<typeof PAYOUT_OPTIONS>;
