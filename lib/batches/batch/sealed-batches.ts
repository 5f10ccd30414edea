import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type InboxScope } from '../../common/vocabulary.js';
import { type BatchLine, type BatchStore } from '../../storage/batch-store.js';
import { type ValueSealer } from '../../storage/sealed/value-sealer.js';

/** The lines of one account, whose storage gets their names, accounts and phones only sealed. */
export function sealedBatches(
  store: BatchStore,
  { account, environment }: InboxScope,
  sealer: ValueSealer,
): BatchStore {
  const place = (load: string, number: number, field: 'content' | 'result'): readonly (string | number)[] => [
    'batches',
    account,
    environment,
    load,
    number,
    field,
  ];
  const openText = async (
    text: string,
    load: string,
    number: number,
    field: 'content' | 'result',
  ): Promise<string> => {
    const { text: opened, problem } = await sealer.open(text, place(load, number, field), field);
    if (opened !== undefined) return opened;
    throw new PaymentsStorageError(`The line ${number} of a batch cannot be read: ${problem}.`);
  };
  const openLine = async (load: string, line: BatchLine): Promise<BatchLine> => ({
    ...line,
    content: await openText(line.content, load, line.number, 'content'),
    // Nothing is known of a line that was only loaded.
    result: line.result === '{}' ? line.result : await openText(line.result, load, line.number, 'result'),
  });
  const openLines = (load: string, lines: readonly BatchLine[]): Promise<readonly BatchLine[]> =>
    Promise.all(lines.map((line) => openLine(load, line)));
  return {
    ...withoutLines(store),
    addChunk: async (load, chunk, lines) => {
      const sealed = lines.map(async (line) => ({
        ...line,
        recipient: sealer.fingerprints(line.recipient)[0],
        content: await sealer.seal(line.content, place(load, line.number, 'content')),
      }));
      return store.addChunk(load, chunk, await Promise.all(sealed));
    },
    linesOf: async (load, chunk) => openLines(load, await store.linesOf(load, chunk)),
    lines: async (load, page) => openLines(load, await store.lines(load, page)),
    line: async (load, key) => {
      const found = await store.line(load, key);
      return found && openLine(load, found);
    },
    change: async (load, changes) => {
      const sealed = changes.map(async ({ result, ...change }) => ({
        ...change,
        ...(result !== undefined && {
          result: await sealer.seal(result, place(load, change.number, 'result')),
        }),
      }));
      return store.change(load, await Promise.all(sealed));
    },
  };
}

/** What gets and gives nothing of a line but its number, state and amount. */
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
    append: (key, event) => store.append(key, event),
    events: (key, page) => store.events(key, page),
    removeLoad: (load) => store.removeLoad(load),
    chunks: (load, page) => store.chunks(load, page),
    chunksIn: (load, states, page) => store.chunksIn(load, states, page),
    counts: (load) => store.counts(load),
    sameRecipients: (load, chunk, withinMs, limit) => store.sameRecipients(load, chunk, withinMs, limit),
  };
}
