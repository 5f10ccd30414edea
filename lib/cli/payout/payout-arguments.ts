import { basename, extname } from 'node:path';
import { printable } from '../../common/printable.js';
import { isBatchName, NAME_RULE } from '../../batches/lines/payout-line.js';
import { oneOf, refuseEmpty } from '../option-values.js';
import { UsageError } from '../usage-error.js';
import { type PayoutValues } from './payout-options.js';

const ACTIONS = [
  'check',
  'accept',
  'approve',
  'run',
  'ask-again',
  'settle',
  'report',
  'cancel',
  'list',
] as const;
/** What changes nothing, and so needs nobody's name. */
const UNSIGNED: readonly PayoutAction[] = ['report', 'list'];
/** Options that mean something for one action alone. */
const BELONGS = {
  because: 'accept',
  digest: 'approve',
  'without-blocked': 'approve',
  format: 'report',
  out: 'report',
  again: 'check',
} as const;
const FORMATS = ['csv', 'json', 'summary'] as const;
const OUTCOMES = ['paid', 'failed'] as const;

export type PayoutAction = (typeof ACTIONS)[number];

/** What the command line asks for. */
export interface PayoutArguments {
  readonly action: PayoutAction;
  /** The first word, as it was typed: a file, or the name of a batch; empty with `--list`. */
  readonly word: string;
  readonly batch: string;
  /** Empty if nobody is named, and nobody has to be. */
  readonly by: string;
  readonly auth: 'headers' | 'bearer' | undefined;
  /** The keys of `--accept`. */
  readonly accepted: readonly string[];
  readonly settlements: readonly Settlement[];
  readonly format: (typeof FORMATS)[number] | undefined;
  readonly values: PayoutValues;
}

export interface Settlement {
  readonly key: string;
  readonly outcome: (typeof OUTCOMES)[number];
}

/** @throws UsageError that says what to write instead. */
export function readArguments(
  values: PayoutValues,
  [word = '', ...more]: readonly string[],
): PayoutArguments {
  refuseEmpty(values);
  const given = ACTIONS.filter((action) => values[action] !== undefined);
  const [action, ...others] = given;
  if (action === undefined || others.length > 0) {
    throw new UsageError(`Write one of ${ACTIONS.map((name) => `--${name}`).join(', ')}.`);
  }
  if (more.length > 0) throw new UsageError('One file at a time: each is a batch of its own.');
  refuseStray(action, values);
  if (action === 'list' && (word !== '' || values.name !== undefined)) {
    throw new UsageError('--list lists every batch: leave the file and --name out, or write --report.');
  }
  const batch = action === 'list' ? '' : batchName(action, word, values.name);
  const by = values.by?.trim() ?? '';
  refuseIncomplete(action, by, values);
  const auth = oneOf('--auth', values.auth, ['headers', 'bearer']);
  return {
    action,
    word,
    batch,
    by,
    auth,
    accepted: keysOf(values.accept ?? []),
    settlements: settlementsOf(values.settle ?? []),
    format: oneOf('--format', values.format, FORMATS),
    values,
  };
}

function refuseIncomplete(action: PayoutAction, by: string, values: PayoutValues): void {
  if (by === '' && !UNSIGNED.includes(action)) {
    throw new UsageError(`--${action} needs --by <person>: who does it?`);
  }
  if (action === 'accept' && !values.because?.trim()) {
    throw new UsageError('--accept needs --because <text>: why may these lines be paid?');
  }
  if (action === 'approve' && values.digest === undefined) {
    throw new UsageError('--approve needs --digest <text>: the output of --check ends with it.');
  }
  if (values.out !== undefined && values.format === undefined) {
    throw new UsageError('--out needs --format csv, json or summary.');
  }
}

function refuseStray(action: PayoutAction, values: PayoutValues): void {
  if (values.json && values.format !== undefined) {
    throw new UsageError('Write --json or --format: each is a form of its own.');
  }
  for (const [option, owner] of Object.entries(BELONGS)) {
    if (owner !== action && values[option as keyof typeof BELONGS] !== undefined) {
      throw new UsageError(`--${option} belongs to --${owner}.`);
    }
  }
}

function batchName(action: PayoutAction, word: string, name: string | undefined): string {
  if (word === '' && (action === 'check' || name === undefined)) {
    throw new UsageError(`Which file? Write payout salaries.csv --${action}.`);
  }
  const batch = name ?? basename(word, extname(word));
  if (isBatchName(batch)) return batch;
  throw new UsageError(
    `'${printable(batch)}' cannot be the name of a batch: write --name 2026-11, for example. It must be ${NAME_RULE}.`,
  );
}

function keysOf(lists: readonly string[]): readonly string[] {
  const keys = lists.flatMap((list) => list.split(',')).map((key) => key.trim());
  if (keys.every(isBatchName)) return keys;
  throw new UsageError('--accept takes the keys of lines with commas between them: "S-001,S-002".');
}

/** @throws UsageError if one is not `<key>=paid` or `<key>=failed`, or a key comes twice. */
function settlementsOf(texts: readonly string[]): readonly Settlement[] {
  const settlements = texts.map(settlementOf);
  const keys = settlements.map(({ key }) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined)
    throw new UsageError(`--settle names the line ${twice} twice: give it one outcome.`);
  return settlements;
}

function settlementOf(text: string): Settlement {
  const [key = '', outcome, ...rest] = text.split('=');
  const found = OUTCOMES.find((word) => word === outcome);
  if (isBatchName(key) && found && rest.length === 0) return { key, outcome: found };
  throw new UsageError('--settle takes the key of a line and its outcome: S-001=paid or S-001=failed.');
}
