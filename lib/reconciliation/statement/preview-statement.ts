import { csvRows } from '../../common/csv-rows.js';
import { PaymentsValidationError } from '../../errors/payments-errors.js';
import { EMPTY_FILE, rowReader, type RowReader, statementReading } from './row-reader.js';
import {
  columnsProblem,
  findColumns,
  type FoundColumns,
  proposeColumns,
  STATEMENT_FIELDS,
  type StatementColumns,
  type StatementField,
} from './statement-columns.js';
import {
  type CsvStatementOptions,
  type ResolvedStatementOptions,
  resolveStatementOptions,
} from './statement-options.js';
import { type StatementRow } from './statement-row.js';
import { wrongStatement } from './wrong-statement.js';

const MOST_ROWS = 5;

/**
 * Which column a field of a statement is taken from.
 *
 * @publicApi
 */
export interface PreviewColumn {
  /** The name of the column, as the file writes it; undefined if none is read. */
  readonly header: string | undefined;
  /** Nobody gave that name, and it is not the default: it is only similar. Have a person confirm it. */
  readonly isProposed: boolean;
  /** Why the statement cannot be read without this column, for people; undefined if it can. */
  readonly problem: string | undefined;
}

/**
 * How a statement would be read.
 *
 * @publicApi
 */
export interface StatementPreview {
  /**
   * The names of all columns, as the file writes them; empty if the file has no first line. If the file names no columns, these are
   * the cells of its first row, which may name a person: keep them out of logs.
   */
  readonly headers: readonly string[];
  /** Which column each field is taken from. */
  readonly columns: Readonly<Record<StatementField, PreviewColumn>>;
  /** The columns to give to `csvStatement()`, the proposed ones included: have a person look at those before. */
  readonly mapping: StatementColumns;
  /** The first five rows with this mapping; fewer if the file has fewer, or if one is wrong. */
  readonly rows: readonly StatementRow[];
  /** Why the statement cannot be read with this mapping, as one sentence; undefined if its begin can. */
  readonly problem: string | undefined;
}

/**
 * Reads the begin of a statement, so that a person can look whether its columns are understood, and closes the stream. Proposes
 * columns whose names are similar, but no reference of a provider, a network or a bank. Never throws because of what is in the
 * file. Needs `csv-parse`.
 *
 * @throws PaymentsConfigError if an option is wrong, or `csv-parse` is not installed.
 *
 * @example
 * ```ts
 * const { columns, mapping, problem } = await previewStatement({ stream: createReadStream('2026-11.csv') });
 * if (problem !== undefined) throw new BadRequestException(problem);
 * const isProposed = Object.values(columns).some((column) => column.isProposed);
 * if (isProposed) throw new BadRequestException(`Name the columns, if this is right: ${JSON.stringify(mapping)}`);
 * const statement = csvStatement({ stream: createReadStream('2026-11.csv'), columns: mapping });
 * ```
 *
 * @publicApi
 */
export async function previewStatement(options: CsvStatementOptions): Promise<StatementPreview> {
  const resolved = resolveStatementOptions(options);
  const begin: Begin = { headers: [], columns: columnsFor([], resolved), rows: [], given: resolved.columns };
  try {
    await readBegin(begin, resolved);
    return previewOf(begin, undefined);
  } catch (error) {
    if (!(error instanceof PaymentsValidationError)) throw error;
    return previewOf(begin, Object.values(error.errors).flat().join('; '));
  }
}

interface Begin {
  headers: readonly string[];
  columns: FoundColumns;
  readonly rows: StatementRow[];
  readonly given: StatementColumns;
}

function columnsFor(headers: readonly string[], { columns, signed }: ResolvedStatementOptions): FoundColumns {
  return proposeColumns(headers, findColumns(headers, columns, !signed));
}

async function readBegin(begin: Begin, options: ResolvedStatementOptions): Promise<void> {
  let read: RowReader | undefined;
  for await (const rows of csvRows(options.stream, statementReading(options))) {
    for (const row of rows) {
      if (read === undefined) {
        begin.headers = row.cells;
        begin.columns = columnsFor(row.cells, options);
        const problem = columnsProblem(row.cells, begin.columns);
        if (problem !== undefined) throw wrongStatement(problem);
        read = rowReader(begin.columns, options);
        continue;
      }
      const result = read(row);
      if (result) begin.rows.push(result);
      if (begin.rows.length === MOST_ROWS) return;
    }
  }
  if (read === undefined) throw wrongStatement(EMPTY_FILE);
}

function previewOf({ headers, columns, rows, given }: Begin, problem: string | undefined): StatementPreview {
  const shown = STATEMENT_FIELDS.map((field) => {
    const { header, isProposed, problem: missing } = columns[field];
    return [field, { header, isProposed, problem: missing }];
  });
  const mapping = STATEMENT_FIELDS.map((field) => [field, columns[field].header ?? given[field]]);
  return {
    headers,
    columns: Object.fromEntries(shown) as StatementPreview['columns'],
    mapping: Object.fromEntries(mapping.filter(([, header]) => header !== undefined)) as StatementColumns,
    rows,
    problem,
  };
}
