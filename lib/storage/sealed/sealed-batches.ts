import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type InboxScope } from '../../common/vocabulary.js';
import { jsonObject } from '../../common/json-object.js';
import { type BatchLine, type BatchStore, type NewBatchLine, type SealedLine } from '../batch-store.js';
import { isSealed, SEALED_WITHOUT_KEYS, type SealedPlace } from './sealed-value.js';
import { type ValueSealer } from './value-sealer.js';

/** Nothing is known of a line that was only loaded. */
const NO_RESULT = '{}';

/** A line that was opened, or why it cannot be. */
type OpenedLine = { readonly line: SealedLine; readonly problem?: undefined } | { readonly problem: string };

/** The lines of one account, whose storage gets their names, accounts and phones only sealed. */
export function sealedBatches(store: BatchStore, scope: InboxScope, sealer: ValueSealer): BatchStore {
  const open = async (load: string, line: BatchLine, opener = sealer): Promise<BatchLine> => {
    const opened = await openLine(scope, load, line, opener);
    if (opened.problem === undefined) return { ...line, ...opened.line };
    throw unreadableLine(line, opened.problem);
  };
  const openAll = (load: string, lines: readonly BatchLine[]): Promise<readonly BatchLine[]> => {
    const listed = sealer.forList();
    return Promise.all(lines.map((line) => open(load, line, listed)));
  };
  return {
    ...withoutLines(store),
    addChunk: async (load, chunk, lines) => {
      const sealed = lines.map((line) => sealLine(scope, load, line, sealer));
      return store.addChunk(load, chunk, await Promise.all(sealed));
    },
    linesOf: async (load, chunk) => openAll(load, await store.linesOf(load, chunk)),
    lines: async (load, page) => openAll(load, await store.lines(load, page)),
    line: async (load, key) => {
      const found = await store.line(load, key);
      return found && open(load, found);
    },
    change: async (load, changes) => {
      const sealed = changes.map(async ({ result, ...change }) => ({
        ...change,
        ...(result !== undefined && {
          result: await sealer.seal(result, placeOf(scope, load, change.number, 'result')),
        }),
      }));
      return store.change(load, await Promise.all(sealed));
    },
    sameRecipients: (load, lines, withinMs, limit) => {
      // Other lines may have been written under an earlier key, by a process with another current one, or without encryption.
      const inEveryForm = lines.map(({ recipients, ...line }) => ({
        ...line,
        recipients: [...new Set(recipients.flatMap((hash) => [...sealer.fingerprints(hash), hash]))],
      }));
      return store.sameRecipients(load, inEveryForm, withinMs, limit);
    },
  };
}

/**
 * The lines of an account without an encryption. What a process with one has sealed is refused: it would look like lines that
 * somebody has changed.
 */
export function plainBatches(store: BatchStore): BatchStore {
  const checked = (line: BatchLine): BatchLine => {
    if (isSealed(line.content) || isSealed(line.result)) throw unreadableLine(line, SEALED_WITHOUT_KEYS);
    return line;
  };
  return {
    ...withoutLines(store),
    addChunk: (load, chunk, lines) => store.addChunk(load, chunk, lines),
    linesOf: async (load, chunk) => (await store.linesOf(load, chunk)).map(checked),
    lines: async (load, page) => (await store.lines(load, page)).map(checked),
    line: async (load, key) => {
      const found = await store.line(load, key);
      return found && checked(found);
    },
    change: (load, changes) => store.change(load, changes),
  };
}

function unreadableLine({ number }: BatchLine, problem: string): PaymentsStorageError {
  return new PaymentsStorageError(`The line ${number} of a batch cannot be read: ${problem}.`);
}

/** Seals a line, and its recipient by a keyed hash. The hash that it replaces is sealed with the content, for another key. */
async function sealLine<Line extends NewBatchLine>(
  scope: InboxScope,
  load: string,
  line: Line,
  sealer: ValueSealer,
): Promise<Line> {
  const { number, recipient, content } = line;
  const sealed = JSON.stringify({ recipient, content });
  return {
    ...line,
    recipient: sealer.fingerprints(recipient)[0],
    content: await sealer.seal(sealed, placeOf(scope, load, number, 'content')),
  };
}

/** Seals a line again that was opened. */
export async function sealAgain(
  scope: InboxScope,
  load: string,
  line: SealedLine,
  sealer: ValueSealer,
): Promise<SealedLine> {
  const { result } = line;
  const sealed = await sealLine(scope, load, { ...line, key: '', cents: 0 }, sealer);
  const place = placeOf(scope, load, line.number, 'result');
  return {
    number: line.number,
    recipient: sealed.recipient,
    content: sealed.content,
    result: result === NO_RESULT ? result : await sealer.seal(result, place),
  };
}

/** Whether a line should be sealed again. */
export function isLineOutdated({ content, result }: SealedLine, sealer: ValueSealer): boolean {
  return sealer.isOutdated(content) || (result !== NO_RESULT && sealer.isOutdated(result));
}

/** Rejects with a `KeyServiceError` if the key cannot be had now. */
export async function openLine(
  scope: InboxScope,
  load: string,
  { number, recipient, content, result }: SealedLine,
  sealer: ValueSealer,
): Promise<OpenedLine> {
  const openText = (text: string, field: LineField) =>
    sealer.open(text, placeOf(scope, load, number, field), field);
  const [openedContent, openedResult] = await Promise.all([
    openText(content, 'content'),
    result === NO_RESULT ? { text: result } : openText(result, 'result'),
  ]);
  if (openedContent.text === undefined) return { problem: openedContent.problem };
  if (openedResult.text === undefined) return { problem: openedResult.problem };
  // What was written before encryption was turned on has the hash in its own column.
  const whole = isSealed(content) ? jsonObject(openedContent.text) : { recipient, content };
  const line = { recipient: String(whole?.['recipient']), content: String(whole?.['content']) };
  return { line: { number, ...line, result: openedResult.text } };
}

type LineField = 'content' | 'result';

function placeOf(
  { account, environment }: InboxScope,
  load: string,
  number: number,
  field: LineField,
): SealedPlace {
  return ['batches', account, environment, load, number, field];
}

/** What gets and gives nothing of a line but its number, state and amount, or hashes of its recipient. */
function withoutLines(
  store: BatchStore,
): Omit<BatchStore, 'addChunk' | 'linesOf' | 'lines' | 'line' | 'change'> {
  return {
    create: (record, event) => store.create(record, event),
    get: (key) => store.get(key),
    list: (scope, page) => store.list(scope, page),
    unfinished: (page) => store.unfinished(page),
    withDigest: (key, digest, limit) => store.withDigest(key, digest, limit),
    replace: (version, record, event) => store.replace(version, record, event),
    remove: (key, version) => store.remove(key, version),
    purge: (olderThanMs) => store.purge(olderThanMs),
    kept: (olderThanMs, limit) => store.kept(olderThanMs, limit),
    replaceLine: (load, before, line) => store.replaceLine(load, before, line),
    append: (key, event) => store.append(key, event),
    events: (key, page) => store.events(key, page),
    removeLoad: (load) => store.removeLoad(load),
    chunks: (load, page) => store.chunks(load, page),
    chunksIn: (load, states, page) => store.chunksIn(load, states, page),
    counts: (load) => store.counts(load),
    sameRecipients: (load, lines, withinMs, limit) => store.sameRecipients(load, lines, withinMs, limit),
  };
}
