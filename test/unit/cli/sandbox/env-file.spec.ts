import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { applicationEnvironment } from '../../../../lib/cli/environment.js';
import { openEnvFile, withVariables } from '../../../../lib/cli/sandbox/env-file.js';
import { asNobody } from '../../../support/as-nobody.js';

const VARIABLES = { PAYMENTS_BASE_URL: 'http://127.0.0.1:4242/api/v1', PAYMENTS_API_KEY: 'pk_test_demo' };
const NAMES = Object.keys(VARIABLES);
const LINES = 'PAYMENTS_BASE_URL=http://127.0.0.1:4242/api/v1\nPAYMENTS_API_KEY=pk_test_demo\n';

describe('withVariables', () => {
  it.each([
    ['writes the variables into an empty file', '', LINES],
    ['appends them and keeps what is there', 'PORT=3000\n', `PORT=3000\n${LINES}`],
    ['ends a last line that has no line end', 'PORT=3000', `PORT=3000\n${LINES}`],
    ['follows the line ends of the file', 'PORT=3000\r\n', `PORT=3000\r\n${LINES.replaceAll('\n', '\r\n')}`],
    [
      'changes a line where it stands',
      '# money\nexport PAYMENTS_API_KEY = "old" # of an earlier start\nPORT=3000\n',
      '# money\nexport PAYMENTS_API_KEY =pk_test_demo\nPORT=3000\nPAYMENTS_BASE_URL=http://127.0.0.1:4242/api/v1\n',
    ],
    [
      'changes every line of a variable, of which the last one counts',
      'PAYMENTS_API_KEY=a\nPAYMENTS_API_KEY=b\n',
      'PAYMENTS_API_KEY=pk_test_demo\nPAYMENTS_API_KEY=pk_test_demo\nPAYMENTS_BASE_URL=http://127.0.0.1:4242/api/v1\n',
    ],
    [
      'leaves comments and variables of similar names alone',
      '# PAYMENTS_API_KEY=x\nMY_PAYMENTS_API_KEY=y\nPAYMENTS_API_KEY_OLD=z\n',
      `# PAYMENTS_API_KEY=x\nMY_PAYMENTS_API_KEY=y\nPAYMENTS_API_KEY_OLD=z\n${LINES}`,
    ],
  ])('%s', (_, before, after) => {
    expect(withVariables(before, VARIABLES)).toBe(after);
    expect(withVariables(after, VARIABLES)).toBe(after);
  });

  it.each([
    ['a#b', "'a#b'"],
    ['a "b" $c', `'a "b" $c'`],
    ["it's a # secret", '"it\'s a # secret"'],
    ['whsec_a+/b=,%@:', 'whsec_a+/b=,%@:'],
  ])('writes %s as Node.js, dotenv and a shell read it', (value, written) => {
    const after = withVariables('A=1\n', { SECRET: value });
    expect(after).toBe(`A=1\nSECRET=${written}\n`);
    expect(withVariables(after, { SECRET: value })).toBe(after);
    const folder = mkdtempSync(join(tmpdir(), 'payments-env-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    writeFileSync(join(folder, '.env'), after);
    expect(applicationEnvironment(undefined, { environment: {}, folder })['SECRET']).toBe(value);
    const shell = `${after}printf %s "$SECRET"`;
    expect(execFileSync('sh', ['-c', shell], { encoding: 'utf8' })).toBe(value);
  });

  it.each([`'"#`, "'$"])('says of %s that it is the value that cannot be written', (value) => {
    expect(() => withVariables('', { SECRET: value })).toThrow(
      '--write-env cannot write SECRET: no quotes hold its characters. Start with another value.',
    );
  });

  it('refuses a file in which a line of its own is a part of another value', () => {
    const note = 'NOTE="first\nPAYMENTS_API_KEY=quoted\nlast"\n';
    expect(() => withVariables(note, VARIABLES)).toThrow('cannot change the file without harm');
  });
});

describe('openEnvFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-env-'));
  const path = join(folder, '.env');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('makes a file that only its owner can read', () => {
    openEnvFile(path, NAMES).write(VARIABLES);
    expect(readFileSync(path, 'utf8')).toBe(LINES);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('refuses a file that is not UTF-8, and leaves it as it is', () => {
    const bytes = Buffer.from('PASSWORD=stra\xdfe\n', 'latin1');
    writeFileSync(path, bytes);
    expect(() => openEnvFile(path, NAMES)).toThrow(
      '--write-env: the file is not written in UTF-8: save it as UTF-8, or name another file.',
    );
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('changes the first line of a file with a byte order mark', () => {
    writeFileSync(path, '\uFEFFPAYMENTS_API_KEY=\nNOTE=1\n');
    openEnvFile(path, NAMES).write(VARIABLES);
    expect(readFileSync(path, 'utf8')).toBe(
      `PAYMENTS_API_KEY=pk_test_demo\nNOTE=1\nPAYMENTS_BASE_URL=${VARIABLES.PAYMENTS_BASE_URL}\n`,
    );
  });

  it('replaces what an earlier emulator wrote', () => {
    writeFileSync(path, 'PAYMENTS_BASE_URL=http://localhost:1/api/v1\nPAYMENTS_API_KEY=pk_test_old\n');
    openEnvFile(path, NAMES).write(VARIABLES);
    expect(readFileSync(path, 'utf8')).toBe(LINES);
  });

  it('fills in the empty lines of a copied .env.example', () => {
    writeFileSync(path, 'PAYMENTS_BASE_URL=\nPAYMENTS_API_KEY=\n');
    openEnvFile(path, NAMES).write(VARIABLES);
    expect(readFileSync(path, 'utf8')).toBe(LINES);
  });

  it.each([
    ['PAYMENTS_BASE_URL=https://gateway.example/api/v1\nPAYMENTS_API_KEY=pk_live_1\n', NAMES.join(', ')],
    ['PAYMENTS_API_KEY=pk_test_1\n', 'PAYMENTS_API_KEY'],
  ])('refuses %j, whose keys no emulator wrote, and names no value', (before, held) => {
    writeFileSync(path, before);
    const problem = new RegExp(`^--write-env would replace ${held}, which no emulator wrote: [^=]*$`);
    expect(() => openEnvFile(path, NAMES)).toThrow(problem);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('keeps what somebody wrote into the file after it was opened', () => {
    writeFileSync(path, 'PORT=3000\n');
    const file = openEnvFile(path, NAMES);
    writeFileSync(path, 'PORT=3001\nNOTE=mine\n');
    file.write(VARIABLES);
    expect(readFileSync(path, 'utf8')).toBe(`PORT=3001\nNOTE=mine\n${LINES}`);
  });

  it('refuses keys of another gateway that somebody wrote there after it was opened', () => {
    writeFileSync(path, '');
    const file = openEnvFile(path, NAMES);
    writeFileSync(path, 'PAYMENTS_API_KEY=pk_live_1\n');
    expect(() => {
      file.write(VARIABLES);
    }).toThrow('--write-env would replace PAYMENTS_API_KEY, which no emulator wrote');
    expect(readFileSync(path, 'utf8')).toBe('PAYMENTS_API_KEY=pk_live_1\n');
  });

  it.skipIf(process.platform === 'win32')(
    'keeps permissions and links, also one that leads nowhere yet',
    () => {
      const link = join(folder, 'link');
      rmSync(path);
      symlinkSync('.env', link);
      openEnvFile(link, NAMES).write(VARIABLES);
      expect(readFileSync(path, 'utf8')).toBe(LINES);
      chmodSync(path, 0o666); // more than the umask leaves
      openEnvFile(link, NAMES).write({ ...VARIABLES, PAYMENTS_API_KEY: 'pk_test_2' });
      expect(readFileSync(path, 'utf8')).toContain('pk_test_2');
      expect(statSync(path).mode & 0o777).toBe(0o666);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(readdirSync(folder).sort()).toEqual(['.env', 'link']);
    },
  );

  it.skipIf(process.platform === 'win32')('writes into a file whose folder takes no other file', () => {
    writeFileSync(path, 'PORT=3000\n');
    chmodSync(path, 0o666);
    const { ino } = statSync(path);
    chmodSync(folder, 0o555);
    try {
      asNobody(() => {
        openEnvFile(path, NAMES).write(VARIABLES);
      });
    } finally {
      chmodSync(folder, 0o700);
    }
    expect(readFileSync(path, 'utf8')).toBe(`PORT=3000\n${LINES}`);
    expect(statSync(path).ino).toBe(ino);
  });

  it.runIf(process.getuid?.() === 0)('leaves a shared file to its owner', () => {
    writeFileSync(path, 'PORT=3000\n');
    chmodSync(path, 0o666);
    chmodSync(folder, 0o777);
    asNobody(() => {
      openEnvFile(path, NAMES).write(VARIABLES);
    });
    chmodSync(folder, 0o700);
    expect(readFileSync(path, 'utf8')).toBe(`PORT=3000\n${LINES}`);
    expect(statSync(path).uid).toBe(0);
    expect(readdirSync(folder)).not.toContainEqual(expect.stringContaining('.tmp'));
  });

  it.skipIf(process.platform === 'win32')('leaves a read-only file alone', () => {
    writeFileSync(path, 'PORT=3000\n');
    chmodSync(path, 0o400);
    expect(() => {
      openEnvFile(path, NAMES).write(VARIABLES);
    }).toThrow('--write-env cannot be written (the file is read-only): name a file such as .env.');
    expect(readFileSync(path, 'utf8')).toBe('PORT=3000\n');
    chmodSync(path, 0o600);
  });

  it('refuses what is no file', () => {
    expect(() => openEnvFile(folder, NAMES)).toThrow('--write-env cannot be read (EISDIR)');
    expect(() => {
      openEnvFile(devNull, NAMES).write(VARIABLES);
    }).toThrow(/--write-env cannot be (read|written) \(.*\): name a file such as \.env\./);
  });
});
