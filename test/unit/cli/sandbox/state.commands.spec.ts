import { constants } from 'node:buffer';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  ftruncateSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Command, type CommandContext } from '../../../../lib/cli/command.js';
import { exportCommand, importCommand } from '../../../../lib/cli/sandbox/state.commands.js';
import { exportedState } from '../../../../lib/cli/sandbox/state-lines.js';
import { PaymentsSandbox } from '../../../../lib/sandbox/payments-sandbox.js';

let folder = '';
let printed: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-state-'));
  printed = [];
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(command: Command, args: readonly string[], input = Buffer.alloc(0)): Promise<number> {
  const terminal = { data: (line: string) => printed.push(line), say: () => {} };
  const context = { folder, terminal, input: () => Promise.resolve(input) };
  return command.run(args, context as unknown as CommandContext);
}

/** Keeps a state in the folder `one`. Resolves to what `export` prints of it. */
async function exported(): Promise<string> {
  await using sandbox = await PaymentsSandbox.start({ data: join(folder, 'one'), seed: 1 });
  sandbox.directory.register('0000000000001', 'Asha Mushi');
  sandbox.merchant('shop').directory.register('0000000000002', 'Juma Hamisi');
  expect(await run(exportCommand, ['--data', 'one'])).toBe(0);
  return printed.map((line) => `${line}\n`).join('');
}

/** What `export` prints of a folder, as JSON. */
async function stateOf(data: string): Promise<unknown> {
  printed = [];
  await run(exportCommand, ['--data', data]);
  return JSON.parse(printed.join('\n'));
}

describe('sandbox export', () => {
  it('prints one JSON value, a part of the state a line: no text has to hold a large state whole', async () => {
    const text = await exported();
    const { parts } = JSON.parse(text) as { readonly parts: readonly unknown[] };
    expect(parts.length).toBeGreaterThan(3);
    const [head, ...lines] = printed;
    expect(head).toBe('{"format":"nestjs-payments sandbox state","version":2,"parts":[');
    expect(lines.pop()).toBe(']}');
    expect(lines.map((line) => JSON.parse(line.replace(/,$/, '')) as unknown)).toEqual(parts);
  });
});

describe('sandbox import', () => {
  it.each<[string, (text: string) => string | Buffer]>([
    ['as it was printed', (text) => text],
    ['with a byte order mark', (text) => `\uFEFF${text}`],
    ['in UTF-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['with the ends of lines of Windows', (text) => text.replaceAll('\n', '\r\n')],
    ['on one line, as earlier versions printed it', (text) => JSON.stringify(JSON.parse(text))],
    ['as a person has formatted it', (text) => JSON.stringify(JSON.parse(text), null, 2)],
  ])('reads a state %s', async (_, written) => {
    const text = await exported();
    writeFileSync(join(folder, 'state.json'), written(text));
    expect(await run(importCommand, ['--data', 'two', 'state.json'])).toBe(0);
    expect(await stateOf('two')).toEqual(JSON.parse(text));
    await run(importCommand, ['--data', 'three'], readFileSync(join(folder, 'state.json')));
    expect(await stateOf('three')).toEqual(JSON.parse(text));
  });

  it('takes a state whose webhooks go to another machine', async () => {
    await using sandbox = await PaymentsSandbox.start({ allowRemoteWebhooks: true });
    sandbox.deliverTo('http://192.0.2.2/webhooks');
    const input = Buffer.from(JSON.stringify(sandbox.export()));
    expect(await run(importCommand, ['--data', 'two'], input)).toBe(0);
    const data = join(folder, 'two');
    await expect(PaymentsSandbox.start({ data })).rejects.toThrow('--allow-remote');
    await using again = await PaymentsSandbox.start({ data, allowRemoteWebhooks: true });
    expect(again.endpoints.list().map(({ url }) => url.href)).toEqual(['http://192.0.2.2/webhooks']);
  });

  it('reads a state that no text can hold line by line', async () => {
    const text = await exported();
    const bytes = Buffer.from(text);
    expect(exportedState(bytes, 'It', 100)).toEqual(JSON.parse(text));
    expect(() => exportedState(Buffer.from(text.replaceAll('\n', '')), 'It', 100)).toThrow(
      'It is too large for one text',
    );
  });

  it.each<[string, (text: string) => string, string]>([
    ['that was cut off', (text) => text.slice(0, -3), 'holds no state of a sandbox'],
    ['in which a part is damaged', (text) => text.replace('\n[', '\n{'), 'is damaged'],
    ['with something after it', (text) => `${text}[]`, 'holds no state of a sandbox'],
  ])('refuses a state %s', async (_, written, problem) => {
    const text = written(await exported());
    await expect(run(importCommand, ['--data', 'two'], Buffer.from(text))).rejects.toThrow(problem);
  });

  it('says what to do with a state that is too large for a text and not in lines', async () => {
    const input = Buffer.alloc(constants.MAX_STRING_LENGTH + 1);
    await expect(run(importCommand, ['--data', 'two'], input)).rejects.toThrow(
      'The input is too large for one text: export the state again with this version, which writes a line for each part.',
    );
  });

  it('says what to do with a file that is too large to be read', async () => {
    const file = openSync(join(folder, 'state.json'), 'w');
    ftruncateSync(file, 2 ** 31);
    closeSync(file);
    await expect(run(importCommand, ['--data', 'two', 'state.json'])).rejects.toThrow(
      'state.json cannot be read (ERR_FS_FILE_TOO_LARGE): copy the folder of `sandbox --data` instead.',
    );
  });
});
