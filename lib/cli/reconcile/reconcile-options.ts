import { type ValuesOf } from '../command-line.js';
import { flag, text } from '../command.js';
import { APPLICATION_OPTIONS } from '../with-application.js';

export const RECONCILE_OPTIONS = {
  day: text('<date>', 'close this day, for example 2026-11-20, with --statement; or say how it was closed'),
  'time-zone': text(
    '<name>',
    'where the day begins and ends, always the same (default: Africa/Dar_es_Salaam)',
  ),
  statement: text('<file>', "the gateway's statement, a CSV file"),
  'without-statement': flag('with --day: close the day for good with the balance alone'),
  'allow-no-match': flag('with --day and --statement: close, though its references hardly fit the journal'),
  columns: text('<list>', 'with --statement: its columns, for example "reference=Ref,fee=-"; a dash: none'),
  kinds: text('<list>', 'with --statement: what its words mean, for example "collection=IN,payout=OUT"'),
  statuses: text(
    '<list>',
    'with --statement: words for succeeded, failed and pending rows, for example failed=Reversed',
  ),
  'statement-time-zone': text('<name>', 'with --statement: the zone of times that name none'),
  'date-format': text('<text>', 'with --statement: DD/MM/YYYY or MM/DD/YYYY'),
  decimal: text('<sign>', 'with --statement: what stands before the cents (default: a dot)'),
  thousands: text('<sign>', 'with --statement: what may stand between thousands'),
  signed: flag('with --statement: what left the wallet has a minus'),
  preview: flag('say how the first rows of --statement are read, and do nothing else'),
  report: text(
    '<name>',
    'with --day: table, markdown, csv (the exceptions) or journal (double entries) (default: table)',
  ),
  apply: flag('with --day: settle the payments whose outcome the statement proves'),
  balance: flag("read the wallet's balance and keep it: right after midnight, every day"),
  exceptions: flag('say what is open'),
  explain: text('<id>', 'write down why an exception is as it is, with --note'),
  note: text('<text>', 'with --explain: why'),
  by: text('<person>', 'who does it; needed by --apply and --explain'),
  ...APPLICATION_OPTIONS,
  json: flag('print one JSON document'),
};

export type ReconcileValues = ValuesOf<typeof RECONCILE_OPTIONS>;
