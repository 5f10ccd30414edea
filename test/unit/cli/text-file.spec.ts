import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applicationEnvironment } from '../../../lib/cli/environment.js';
import { readProfileFile } from '../../../lib/cli/gateway-profile-file.js';
import { jsonFile } from '../../../lib/cli/json-file.js';
import { readSeedFile } from '../../../lib/cli/sandbox/seed-file.js';
import { decodedText } from '../../../lib/cli/text-file.js';
import { deliveryHeaders } from '../../../lib/cli/webhooks/delivery-headers.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-text-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe.each(['utf8', 'utf16le'] as const)('a file with a byte order mark, in %s', (encoding) => {
  const bytes = (text: string) => Buffer.from(`\uFEFF${text}`, encoding);
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), bytes(text));
  };

  it('is read as its text', () => {
    expect(decodedText(bytes('Ñandú\r\n'))).toBe('Ñandú\r\n');
  });

  it('may be the headers of a delivery, a JSON file, a profile or a seed file', async () => {
    write('headers.txt', 'x-first: 1\r\nx-second: 2\r\n');
    write('package.json', '{"name":"shop"}');
    write('gateway.json', '{}');
    write('shop.yaml', '');
    expect([...deliveryHeaders(['@headers.txt'], folder).keys()]).toEqual(['x-first', 'x-second']);
    expect(jsonFile(join(folder, 'package.json'))).toEqual({ name: 'shop' });
    expect(() => readProfileFile('--profile', 'gateway.json', folder)).not.toThrow('no JSON');
    expect(await readSeedFile('shop.yaml', folder)).toMatchObject({ world: {} });
  });
});

describe('the variables of an application', () => {
  it('begin with the first line of a file with a byte order mark, as the application reads it', () => {
    writeFileSync(join(folder, '.env'), '\uFEFFPAYMENTS_API_KEY=pk_test_1\n');
    expect(applicationEnvironment(undefined, { environment: {}, folder })).toEqual({
      PAYMENTS_API_KEY: 'pk_test_1',
    });
  });

  it.each([
    ['with a mark', Buffer.from('\uFEFFPAYMENTS_API_KEY=pk_test_1\n', 'utf16le')],
    ['without one', Buffer.from('PAYMENTS_API_KEY=pk_test_1\n', 'utf16le')],
  ])('are refused in UTF-16 %s, as the application reads none there', (_, bytes) => {
    const says = 'the file is not written in UTF-8: save it as UTF-8, or name another file.';
    const read = (file?: string) => () => applicationEnvironment(file, { environment: {}, folder });
    writeFileSync(join(folder, '.env'), bytes);
    expect(read()).toThrow(`.env: ${says}`);
    expect(read('.env')).toThrow(`--dotenv: ${says}`);
  });

  it('are those that the application reads, whatever the lines between them say', () => {
    const text =
      'Database\nDATABASE_URL=postgres://db\nPAYMENTS_API_KEY: pk_test_1\nPAYMENTS_API_SECRET=sk # a note';
    writeFileSync(join(folder, '.env'), text);
    expect(applicationEnvironment(undefined, { environment: {}, folder })).toEqual({
      DATABASE_URL: 'postgres://db',
      PAYMENTS_API_KEY: 'pk_test_1',
      PAYMENTS_API_SECRET: 'sk',
    });
  });
});
