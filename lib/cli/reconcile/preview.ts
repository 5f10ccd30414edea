import { isColumnName } from '../../common/csv-row.js';
import { formatTzs } from '../../common/money.js';
import { printable } from '../../common/printable.js';
import { tableLines } from '../../common/table-lines.js';
import { isPaymentsError } from '../../errors/payments-errors.js';
import { type StatementPreview } from '../../reconciliation/index.js';
import { type CommandContext } from '../command.js';
import { nestCore } from '../nest-core.js';
import { UsageError } from '../usage-error.js';
import { EXIT } from './exit-code.js';
import { type ReconcileValues } from './reconcile-options.js';
import { commandLine, READING, type ReconcileArguments } from './reconcile-arguments.js';
import { inWordsOfOptions, NO_COLUMN, statementOptions } from './statement-file.js';

/** `--preview`: needs no database and no keys. */
export async function previewFile(args: ReconcileArguments, context: CommandContext): Promise<number> {
  const open = statementOptions(args.values, context);
  if (!open) throw new UsageError('--preview belongs to --statement.');
  await nestCore('reconcile');
  const { previewStatement } = await import('nestjs-payments/reconciliation');
  const preview = await previewStatement(open()).catch((error: unknown) => {
    throw isPaymentsError(error) ? new UsageError(inWordsOfOptions(error.message)) : error;
  });
  const { data } = context.terminal;
  if (args.values.json) data(JSON.stringify(forScripts(preview)));
  else for (const line of previewLines(preview, args.values, context)) data(line);
  return preview.problem === undefined ? EXIT.fine : EXIT.problem;
}

/** Which column is the recipient's is worth a look; who it was is not. */
function forScripts({ headers, columns, rows, problem, ...preview }: StatementPreview): object {
  const { reference, amount, at } = columns;
  // The first line of a file that names no columns is a row, and tells of a person.
  const hasNames = [reference, amount, at].some(({ header }) => header !== undefined);
  return {
    headers: hasNames ? headers.filter(isColumnName) : [],
    columns,
    ...preview,
    rows: rows.map(({ recipient: _person, ...row }) => row),
    problem: problem && inWordsOfOptions(problem),
  };
}

function previewLines(
  { headers, columns, rows, mapping, problem }: StatementPreview,
  values: ReconcileValues,
  { terminal: { paintData } }: CommandContext,
): readonly string[] {
  const wrong = problem === undefined ? [] : [paintData('yellow', inWordsOfOptions(printable(problem)))];
  // No line of it could be read, so nothing is known of its columns.
  if (headers.length === 0) return wrong;
  const read = Object.entries(columns).map(([field, { header = '', isProposed, problem: missing = '' }]) => [
    field,
    header,
    isProposed ? 'only similar: look whether it is that' : missing,
  ]);
  const shown = rows.map(({ row, kind, reference = '', amount, fee, at, isFailed }) => [
    String(row),
    isFailed ? `failed ${kind}` : kind,
    reference,
    formatTzs(amount, 'en'),
    fee === undefined ? '' : formatTzs(fee, 'en'),
    at.toISOString(),
  ]);
  const list = Object.entries(mapping).map(
    ([field, header]: [string, unknown]) =>
      `${field}=${typeof header === 'string' ? printable(header) : NO_COLUMN}`,
  );
  return [
    ...tableLines(['field', 'column', ''], read, []),
    '',
    ...tableLines(['row', 'kind', 'reference', 'amount', 'fee', 'at'], shown, ['row', 'amount', 'fee']),
    '',
    ...(problem === undefined
      ? [
          'To read it so:',
          `  ${commandLine({ ...values, columns: list.join(',') }, `--day ${values.day ?? '<date>'}`, READING)}`,
        ]
      : wrong),
  ];
}
