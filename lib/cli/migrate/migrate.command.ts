import { type StorageTables } from '../../storage/storage-tables.js';
import {
  refusalOfNewer,
  type StoredVersion,
  type VersionFit,
  versionFit,
} from '../../storage/stored-version.js';
import { parseCommandLine, type ValuesOf } from '../command-line.js';
import { type Command, type CommandContext, flag, text } from '../command.js';
import { applicationEnvironment } from '../environment.js';
import { oneOf, refuseEmpty, wholeNumber } from '../option-values.js';
import { shellWord } from '../shell-word.js';
import { UsageError } from '../usage-error.js';
import { type Dialect, DIALECTS } from './dialects.js';

const VARIABLE = 'DATABASE_URL';
const NAMES = DIALECTS.map(({ name }) => name);

/** `a, b or c`. */
function inWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

const OPTIONS = {
  status: flag('only compare the versions, and exit with 1 if the tables have to be migrated'),
  sql: flag('only print the statements, for somebody else to run'),
  from: text('<version>', 'with --sql: the version that the database holds already (default: 0, none)'),
  dialect: text('<name>', `with --sql: ${inWords(NAMES)} (default: that of ${VARIABLE})`),
  schema: text('<name>', 'schema of PostgreSQL, the same as in postgresStorage() (default: public)'),
  file: text('<path>', 'the file of SQLite, the same as in sqliteStorage()'),
  dotenv: text(
    '<file>',
    'variables of the application; variables that are set win (default: .env, if it exists)',
  ),
};

type Values = ValuesOf<typeof OPTIONS>;

/** `nestjs-payments migrate` */
export const migrateCommand: Command = {
  name: 'migrate',
  synopsis: '[options]',
  summary: "make or update the package's tables in PostgreSQL, MySQL, MariaDB or SQLite",
  about: [
    `Connects to the database of ${VARIABLE}, or opens a file, and adds what this version of the package needs. A second`,
    'run changes nothing, existing data stays, and a version that is running continues. The address is never printed.',
  ].join('\n'),
  options: OPTIONS,
  examples: [
    'migrate',
    'migrate --status --schema payments',
    'migrate --sql --dialect postgres --from 4 > payments.sql',
    'migrate --file data/shop.db',
  ],
  run: runMigrate,
};

async function runMigrate(args: readonly string[], context: CommandContext): Promise<number> {
  const { values } = parseCommandLine(args, OPTIONS, { positionals: false });
  refuseEmpty(values);
  if (values.status && values.sql) throw new UsageError('Write only one of --status and --sql.');
  const url = applicationEnvironment(values.dotenv, context)[VARIABLE]?.trim() ?? '';
  const dialect = chosenDialect(values, url);
  if (values.sql) {
    const from = wholeNumber('--from', values.from, [0, dialect.needed]) ?? 0;
    context.terminal.data(dialect.script({ schema: values.schema }, from));
    return 0;
  }
  const { schema, file } = values;
  return dialect.use({ url, schema, file, folder: context.folder }, (tables) =>
    values.status ? showStatus(tables, dialect, values, context) : migrate(tables, dialect, context),
  );
}

/** @throws UsageError if nothing says which database it is, or an option does not belong to it. */
function chosenDialect({ sql = false, from, dialect: name, schema, file }: Values, url: string): Dialect {
  const named = oneOf('--dialect', name, NAMES);
  if (!sql && named !== undefined)
    throw new UsageError(`--dialect belongs to --sql: ${VARIABLE} says which it is.`);
  if (!sql && from !== undefined)
    throw new UsageError('--from belongs to --sql: the database knows its version.');
  const found = DIALECTS.find(({ name: own, option, protocols }) => {
    if (named !== undefined) return own === named;
    return file === undefined ? protocols.some((protocol) => url.startsWith(protocol)) : option === 'file';
  });
  if (!found) throw new UsageError(unknownDatabase(url, sql));
  if (file !== undefined && found.option !== 'file')
    throw new UsageError(`--file has no meaning with ${found.name}.`);
  if (schema !== undefined && found.option !== 'schema') {
    throw new UsageError(`--schema has no meaning with ${found.name}.`);
  }
  return found;
}

function unknownDatabase(url: string, sql: boolean): string {
  const protocols = DIALECTS.flatMap((dialect) => dialect.protocols).map((protocol) => `${protocol}//`);
  const what =
    url === '' ? `${VARIABLE} is not set` : `${VARIABLE} does not begin with ${inWords(protocols)}`;
  return `Which database? ${what}: ${sql ? `write --dialect ${inWords(NAMES)}` : `set ${VARIABLE}=${protocols[0] ?? ''}…, or write --file <path>`}.`;
}

async function showStatus(
  { place, found: read }: StorageTables,
  dialect: Dialect,
  values: Values,
  { terminal: { data, paintData } }: CommandContext,
): Promise<number> {
  const found = await read();
  const fit = versionFit(found, dialect.needed);
  const mark = fit === 'usable' ? paintData('green', '✔') : paintData('red', '✖');
  data(`${mark} ${place} ${STATUS[fit](found, dialect, placeOptions(values))}.`);
  return fit === 'usable' ? 0 : 1;
}

/** What is found and what is needed, as the end of a sentence. */
const STATUS: Readonly<
  Record<VersionFit, (found: StoredVersion, dialect: Dialect, options: string) => string>
> = {
  usable: (found, { needed }) =>
    `${holds(found)}, and this version of nestjs-payments needs ${needed}${found.version > needed ? ' and can use them' : ''}`,
  older: (found, { needed, name }, options) =>
    `${holds(found)}, and this version of nestjs-payments needs ${needed}: run npx nestjs-payments migrate${options}, or what ` +
    `npx nestjs-payments migrate --sql --dialect ${name} --from ${found.version}${options} prints`,
  newer: (found, { needed }) => `${holds(found)}, which ${refusalOfNewer(found, needed)}`,
};

/** The options that say which tables are meant, for a shell: without them the command would change others. */
function placeOptions({ schema, file, dotenv }: Values): string {
  return Object.entries({ schema, file, dotenv })
    .map(([name, value]) => (value === undefined ? '' : ` --${name} ${shellWord(value)}`))
    .join('');
}

function holds({ version }: StoredVersion): string {
  return version === 0 ? 'holds no tables of nestjs-payments' : `holds version ${version} of the tables`;
}

async function migrate(
  tables: StorageTables,
  { needed }: Dialect,
  { terminal: { data, say, paintData } }: CommandContext,
): Promise<number> {
  const before = await tables.migrate(say);
  const after = await tables.found();
  const what =
    after.version === before.version
      ? `${holds(after)}, and this version of nestjs-payments needs ${needed}: nothing had to be done`
      : `was migrated from version ${before.version} of the tables to ${after.version}`;
  data(`${paintData('green', '✔')} ${tables.place} ${what}.`);
  return 0;
}
