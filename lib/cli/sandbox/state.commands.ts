import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { entriesOf } from '../../sandbox/state/state-entry.js';
import { readState, StateFolder } from '../../sandbox/state/state-folder.js';
import { composeSandbox } from '../../sandbox/compose.js';
import { resolveSandboxOptions } from '../../sandbox/resolve-sandbox-options.js';
import { parseCommandLine } from '../command-line.js';
import { type Command, text } from '../command.js';
import { shellWord } from '../shell-word.js';
import { unreadable } from '../text-file.js';
import { UsageError } from '../usage-error.js';
import { exportedState, stateLines } from './state-lines.js';

const OPTIONS = { data: text('<folder>', 'the folder of `sandbox --data`') };

/** `nestjs-payments sandbox export` */
export const exportCommand: Command = {
  name: 'sandbox export',
  synopsis: '--data <folder>',
  summary: "print an emulator's whole state as JSON",
  about: 'Prints the state in a folder, also while an emulator uses it. It contains webhook secrets.',
  options: OPTIONS,
  examples: ['sandbox export --data .payments-sandbox > state.json'],
  run: (args, { terminal, folder }) => {
    const { values } = parseCommandLine(args, OPTIONS, { positionals: false });
    const data = required(values.data, folder);
    const entries = readState(data);
    if (entries.length === 0) throw new UsageError('--data must name a folder of `sandbox --data`.');
    for (const line of stateLines(entries)) terminal.data(line);
    return Promise.resolve(0);
  },
};

/** `nestjs-payments sandbox import` */
export const importCommand: Command = {
  name: 'sandbox import',
  synopsis: '--data <folder> [<file>]',
  summary: 'write an exported state into a new folder',
  about: 'Reads what `sandbox export` printed, from a file or stdin, into a folder that holds no state yet.',
  options: OPTIONS,
  examples: ['sandbox import --data .payments-sandbox state.json'],
  run: async (args, { terminal, folder, input }) => {
    const { values, positionals } = parseCommandLine(args, OPTIONS, { positionals: true });
    const data = required(values.data, folder);
    const [file, ...others] = positionals;
    if (others.length > 0) throw new UsageError('One state at a time: name one file, or none for stdin.');
    const where = file === undefined ? 'The input' : `The file ${file}`;
    const bytes = file === undefined ? await input() : contentOf(resolve(folder, file));
    const entries = entriesOf(exportedState(bytes, where), where);
    // Webhooks may go to other machines: the start with the folder checks whether they may there.
    composeSandbox(resolveSandboxOptions({ allowRemoteWebhooks: true })).state.restore(entries);
    const target = await StateFolder.open(data);
    try {
      if (target.entries.length > 0)
        throw new UsageError('--data must name a folder without a state: name a new one.');
      target.rewrite(entries);
    } finally {
      target.close();
    }
    const { data: name = '' } = values;
    terminal.say(`The state is in ${name}: start with sandbox --data ${shellWord(name)}`);
    return 0;
  },
};

function required(data: string | undefined, folder: string): string {
  if (data !== undefined && data !== '') return resolve(folder, data);
  throw new UsageError('Which folder? Name it with --data.');
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_FS_FILE_TOO_LARGE';
    throw unreadable(file, error, isTooLarge ? 'copy the folder of `sandbox --data` instead.' : undefined);
  }
}
