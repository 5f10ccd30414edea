import { closestWord } from '../../common/closest-word.js';
import { isColumnName } from '../../common/csv-row.js';
import { PERHAPS_OWNED, referenceRank, UNOWNED } from './reference-header.js';
import { sameWord } from './statement-cells.js';

/**
 * The names of the columns, as the first line of the file writes them; letters may be large or small. A column that you leave out has
 * the name that the emulator's statements give it, if the file has one of that name. `false`: not this one either.
 *
 * @publicApi
 */
export interface StatementColumns {
  /** The merchant's reference. @default 'Reference', unless another name says that its references are yours */
  readonly reference?: string | false;
  /** How much moved. @default 'Amount' */
  readonly amount?: string;
  /** The fee of that payment. @default 'Fee', if there is one */
  readonly fee?: string | false;
  /** When it moved. @default 'Date' */
  readonly at?: string;
  /** What moved, in words of `kinds`. @default 'Type' */
  readonly kind?: string | false;
  /**
   * Phone or account number of the other side; what a spreadsheet has rounded or made a formula is left out.
   * @default 'Recipient', if there is one
   */
  readonly recipient?: string | false;
  /** How it ended, in words of `succeeded`, `failed` and `pending`. @default 'Status', if there is one */
  readonly status?: string | false;
  /** The currency of the amount, which must be TZS. @default 'Currency', if there is one */
  readonly currency?: string | false;
}

/**
 * What a column of a statement holds.
 *
 * @publicApi
 */
export type StatementField = keyof StatementColumns;

/** Names that the same columns have elsewhere, without what `plainName` makes of them; the first one is the default. */
const NAMES: Readonly<Record<StatementField, readonly [string, ...string[]]>> = {
  // `referenceRank` knows the others.
  reference: ['Reference'],
  amount: ['Amount', 'Gross Amount', 'Transaction Amount', 'Value'],
  fee: ['Fee', 'Fees', 'Charge', 'Charges', 'Commission'],
  at: [
    'Date',
    'Time',
    'Date and Time',
    'Date Time',
    'Timestamp',
    'Transaction Date',
    'Transaction Time',
    'Completed At',
    'Settled At',
    'Created At',
  ],
  kind: ['Type', 'Kind', 'Transaction Type', 'Direction'],
  recipient: [
    'Recipient',
    'Phone',
    'Phone Number',
    'Mobile Number',
    'MSISDN',
    'Account',
    'Account Number',
    'Beneficiary Account',
  ],
  status: ['Status', 'State', 'Result', 'Outcome', 'Transaction Status'],
  currency: ['Currency', 'Currency Code'],
};
/** Short forms of words. */
const LONG_FORMS: Readonly<Record<string, string>> = {
  acc: 'account',
  acct: 'account',
  amt: 'amount',
  ccy: 'currency',
  no: 'number',
  trans: 'transaction',
  txn: 'transaction',
};

/** All fields, in the order of the documents. */
export const STATEMENT_FIELDS = Object.keys(NAMES) as readonly StatementField[];

/** Where a field is. */
interface FoundColumn {
  /** The place of its cell in a row; undefined if no column is read for it. */
  readonly index: number | undefined;
  /** The column's name as the file writes it; undefined if no column is read for it. */
  readonly header: string | undefined;
  /** Nobody gave the name: it is similar. */
  readonly isProposed: boolean;
  /** A similar column may be proposed. */
  readonly isMissing: boolean;
  /** Why the statement cannot be read without it. */
  readonly problem: string | undefined;
}

/** Where each field is. */
export type FoundColumns = Readonly<Record<StatementField, FoundColumn>>;

const NOT_READ: FoundColumn = {
  index: undefined,
  header: undefined,
  isProposed: false,
  isMissing: false,
  problem: undefined,
};

/**
 * Finds the columns of the fields.
 *
 * @param headers The first line of the file.
 * @param needsKind Whether a column has to say what moved.
 */
export function findColumns(
  headers: readonly string[],
  columns: StatementColumns,
  needsKind: boolean,
): FoundColumns {
  const needed: readonly StatementField[] = [
    'reference',
    'amount',
    'at',
    ...(needsKind ? ['kind' as const] : []),
  ];
  const found = (field: StatementField): FoundColumn => {
    const given = columns[field];
    if (given === false) return NOT_READ;
    const name = given ?? NAMES[field][0];
    const places = headers.flatMap((header, index) => (sameWord(header) === sameWord(name) ? [index] : []));
    const [index] = places;
    if (index === undefined) {
      const isNeeded = given !== undefined || needed.includes(field);
      return { ...NOT_READ, isMissing: true, problem: isNeeded ? `'${name}' is missing` : undefined };
    }
    if (places.length > 1) return { ...NOT_READ, problem: `'${name}' is there twice` };
    if (field === 'reference' && given === undefined && ownReference(headers, columns) !== undefined)
      return { ...NOT_READ, isMissing: true, problem: `'${name}' may be somebody else's` };
    return { ...NOT_READ, index, header: headers[index] };
  };
  return byField(found);
}

/** Takes a similar column for each that is missing, and no column twice. */
export function proposeColumns(headers: readonly string[], found: FoundColumns): FoundColumns {
  const taken = new Set(STATEMENT_FIELDS.map((field) => found[field].index));
  const proposed = new Map<StatementField, FoundColumn>();
  const named = namedHeaders(headers);
  // A column of a known name is not taken for another field, whose name is only similar.
  for (const similar of [sameName, similarName]) {
    for (const field of STATEMENT_FIELDS) {
      if (!found[field].isMissing || proposed.has(field)) continue;
      const free = named.filter(({ index }) => !taken.has(index));
      const column = similar(field, free);
      if (!column) continue;
      const { header, index } = column;
      taken.add(index);
      proposed.set(field, { ...NOT_READ, header, index, isProposed: true });
    }
  }
  return byField((field) => proposed.get(field) ?? found[field]);
}

/** Why a statement cannot be read with these columns, as one sentence; undefined if it can. Repeats no unknown name but a similar one. */
export function columnsProblem(headers: readonly string[], found: FoundColumns): string | undefined {
  const problems = STATEMENT_FIELDS.flatMap((field) => found[field].problem ?? []);
  if (problems.length === 0) return undefined;
  const proposed = proposeColumns(headers, found);
  const similar = STATEMENT_FIELDS.flatMap((field) => {
    const { isProposed, header = '' } = proposed[field];
    return isProposed && found[field].problem !== undefined ? [`${field}: ${JSON.stringify(header)}`] : [];
  });
  const noKind =
    found.kind.problem === undefined ? '' : ', or signed: true if what left the wallet has a minus';
  const instead =
    similar.length === 0 ? "{ reference: 'the name in your file' }" : `{ ${similar.join(', ')} }`;
  const isTitle = STATEMENT_FIELDS.every((field) => proposed[field].header === undefined);
  const noTitle = isTitle ? `; delete the first line if it is a title, or a line such as 'sep=;'` : '';
  return `the first line must name the columns, and ${problems.join(', ')}: write for example columns: ${instead}${noKind}${noTitle}`;
}

interface Header {
  readonly header: string;
  readonly index: number;
  /** What `plainName` makes of the header. */
  readonly plain: string;
}

/** Without the cells of a file that begins with a row: nobody may read those in an error. */
function namedHeaders(headers: readonly string[]): readonly Header[] {
  return headers.flatMap((header, index) =>
    isColumnName(header) ? [{ header, index, plain: plainName(header) }] : [],
  );
}

/** The column whose name says that its references are the merchant's own, if nobody named it for another field. */
function ownReference(headers: readonly string[], columns: StatementColumns): Header | undefined {
  const given = Object.values(columns).map((name: unknown) =>
    typeof name === 'string' ? sameWord(name) : '',
  );
  const free = namedHeaders(headers).filter(({ header }) => !given.includes(sameWord(header)));
  return likeliestReference(free, PERHAPS_OWNED - 1);
}

/** Beside the merchant's own references, those that do not say whose they are may be the provider's. */
function likeliestReference(headers: readonly Header[], last = UNOWNED): Header | undefined {
  const ranked = headers.map((header) => ({ header, rank: referenceRank(header.header) ?? Infinity }));
  const known = ranked.filter(({ rank }) => rank <= last);
  return known.sort((one, other) => one.rank - other.rank)[0]?.header;
}

function sameName(field: StatementField, headers: readonly Header[]): Header | undefined {
  if (field === 'reference') return likeliestReference(headers);
  for (const name of NAMES[field].map(plainName)) {
    const found = headers.find(({ plain }) => withoutBlanks(plain) === withoutBlanks(name));
    if (found) return found;
  }
  return undefined;
}

function similarName(field: StatementField, headers: readonly Header[]): Header | undefined {
  if (field === 'reference') return undefined;
  for (const name of NAMES[field].map(plainName)) {
    const alike = headers.filter(({ plain }) => haveLikeLengths(plain, name));
    const close = closestWord(
      name,
      alike.map(({ plain }) => plain),
    );
    const found = alike.find(({ plain }) => plain === close);
    if (found) return found;
  }
  return undefined;
}

function withoutBlanks(name: string): string {
  return name.replaceAll(' ', '');
}

/** A cheap check before two names are compared letter by letter: no name is similar to one that is twice as long. */
function haveLikeLengths(left: string, right: string): boolean {
  return left.length < 2 * right.length && right.length < 2 * left.length;
}

/** `txn_date` and `Amount (TZS)` are other ways to write a name. */
function plainName(header: string): string {
  const words = sameWord(header.replace(/\([^()]*\)|\bTZS\b/gi, ' ').replace(/[^\p{L}\p{N}]+/gu, ' ')).split(
    ' ',
  );
  return words.map((word) => (Object.hasOwn(LONG_FORMS, word) ? LONG_FORMS[word] : word)).join(' ');
}

function byField<T>(of: (field: StatementField) => T): Readonly<Record<StatementField, T>> {
  return Object.fromEntries(STATEMENT_FIELDS.map((field) => [field, of(field)])) as Record<StatementField, T>;
}
