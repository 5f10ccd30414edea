import { type CloseReportFormat } from '../../reconciliation/index.js';
import { oneOf, refuseEmpty } from '../option-values.js';
import { shellWord } from '../shell-word.js';
import { UsageError } from '../usage-error.js';
import { type ReconcileValues } from './reconcile-options.js';

/** What a command line asks for, by the option that says so. `--preview` and `--apply` stand beside another one. */
const ACTIONS = ['day', 'balance', 'exceptions', 'explain', 'preview'] as const;
const FORMATS = ['table', 'markdown', 'csv', 'journal'] as const satisfies readonly CloseReportFormat[];
/** Options that mean something beside another one alone. */
const BELONGS: Partial<Record<keyof ReconcileValues, keyof ReconcileValues>> = {
  'time-zone': 'day',
  report: 'day',
  apply: 'day',
  'without-statement': 'day',
  'allow-no-match': 'statement',
  note: 'explain',
  preview: 'statement',
  columns: 'statement',
  kinds: 'statement',
  statuses: 'statement',
  'statement-time-zone': 'statement',
  'date-format': 'statement',
  decimal: 'statement',
  thousands: 'statement',
  signed: 'statement',
};
/** Options that are not written beside any of some others. */
const CONFLICTS: readonly (readonly [
  keyof ReconcileValues,
  others: readonly (keyof ReconcileValues)[],
  problem: string,
])[] = [
  [
    'without-statement',
    ['statement', 'apply'],
    '--without-statement closes a day: leave out --statement and --apply.',
  ],
  ['allow-no-match', ['preview', 'apply'], '--allow-no-match closes a day: leave out --preview and --apply.'],
  ['json', ['report'], 'Write --json or --report: each is a form of its own.'],
  ['apply', ['report'], '--apply prints what it settles: write --report in a command of its own.'],
];
/** What says how a statement is read. */
export const READING = [
  'statement',
  'columns',
  'kinds',
  'statuses',
  'statement-time-zone',
  'date-format',
  'decimal',
  'thousands',
  'signed',
] as const;
const STORAGE = ['database', 'schema', 'auth', 'dotenv'] as const;
/** Who closes a day if nobody is named, as nobody is by a cron. */
const NOBODY = 'npx nestjs-payments reconcile';

export type ReconcileAction = (typeof ACTIONS)[number] | 'apply';

/** What the command line asks for. */
export interface ReconcileArguments {
  readonly action: ReconcileAction;
  readonly by: string;
  readonly format: CloseReportFormat;
  readonly auth: 'headers' | 'bearer' | undefined;
  readonly values: ReconcileValues;
}

/** @throws UsageError that says what to write instead. */
export function readArguments(values: ReconcileValues): ReconcileArguments {
  refuseEmpty(values);
  const action = actionOf(values);
  refuseStray(action, values);
  const by = values.by?.trim() ?? '';
  if (by === '' && (action === 'apply' || action === 'explain')) {
    throw new UsageError(`--${action} needs --by <person>: it is kept who did it.`);
  }
  if (action === 'explain' && !values.note?.trim()) {
    throw new UsageError('--explain needs --note <text>: why is it as it is?');
  }
  if (values.day !== undefined && !/^\d{4}-\d\d-\d\d$/.test(values.day)) {
    throw new UsageError('--day must be a date: write --day 2026-11-20.');
  }
  const format = oneOf('--report', values.report, FORMATS) ?? 'table';
  const auth = oneOf('--auth', values.auth, ['headers', 'bearer']);
  return { action, by: by === '' ? NOBODY : by, format, auth, values };
}

function actionOf(values: ReconcileValues): ReconcileAction {
  // Which day it is for does not matter to a look at the file.
  if (values.preview) return 'preview';
  const [action, ...others] = ACTIONS.filter((name) => values[name] !== undefined);
  if (action === undefined || others.length > 0) {
    throw new UsageError(
      'Write one of --day, --balance, --exceptions and --explain, or --preview with --statement.',
    );
  }
  return action === 'day' && values.apply ? 'apply' : action;
}

function refuseStray(action: ReconcileAction, values: ReconcileValues): void {
  for (const [option, owner] of Object.entries(BELONGS)) {
    if (values[option as keyof ReconcileValues] !== undefined && values[owner] === undefined) {
      throw new UsageError(`--${option} belongs to --${owner}.`);
    }
  }
  if (values.statement !== undefined && action !== 'day' && action !== 'apply' && action !== 'preview') {
    throw new UsageError('--statement belongs to --day, or to --preview.');
  }
  for (const [option, others, problem] of CONFLICTS) {
    const isStray = others.some((other) => values[other] !== undefined);
    if (values[option] !== undefined && isStray) throw new UsageError(problem);
  }
}

/** A command for the same storage, as a person types it; with the options that say how the statement is read, if they matter. */
export function commandLine(
  values: ReconcileValues,
  rest: string,
  more: readonly (typeof READING)[number][] = [],
): string {
  // Without its zone, the command would mean another day.
  const zone = rest.startsWith('--day') ? (['time-zone'] as const) : [];
  const options = [...zone, ...more, ...STORAGE].flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    return [typeof value === 'string' ? `--${name} ${shellWord(value)}` : `--${name}`];
  });
  return ['npx nestjs-payments reconcile', rest, ...options].join(' ');
}
