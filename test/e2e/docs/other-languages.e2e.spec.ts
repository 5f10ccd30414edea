import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeSkipped } from '../../support/describe-skipped.js';
import { startSandbox } from '../../support/sandbox.js';

interface Language {
  readonly name: string;
  readonly extension: string;
  readonly program: string;
  readonly version: string;
  readonly pay: readonly string[];
  /** The arguments that start the receiver on a port. */
  readonly receive: (port: string) => readonly string[];
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'Python',
    extension: 'py',
    program: 'python3',
    version: '--version',
    pay: ['pay.py'],
    receive: () => ['webhooks.py'],
  },
  {
    name: 'PHP',
    extension: 'php',
    program: 'php',
    version: '--version',
    pay: ['pay.php'],
    receive: (port) => ['-S', `127.0.0.1:${port}`, 'webhooks.php'],
  },
  {
    name: 'Go',
    extension: 'go',
    program: 'go',
    version: 'version',
    pay: ['run', 'pay.go'],
    receive: () => ['run', 'webhooks.go'],
  },
];

const page = readFileSync('docs/other-languages.md', 'utf8');
let folder: string;
let receiver: ChildProcess | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-languages-'));
  for (const [, code = ''] of page.matchAll(/```(?:python|php|go)\n([^]*?)```/g)) {
    const file = /\b(?:pay|webhooks)\.\w+/.exec(code)![0];
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  if (receiver?.pid === undefined) return;
  const closed = once(receiver, 'close');
  // `go run` starts the program as a child: the whole group ends.
  process.kill(-receiver.pid, 'SIGKILL');
  await closed;
  receiver = undefined;
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

/** Resolves once something listens. */
async function listening(port: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const socket = connect(Number(port), '127.0.0.1');
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
      socket.once('error', () => {
        resolve(false);
      });
    });
    socket.destroy();
    if (connected) return;
    await new Promise(setImmediate);
  }
  throw new Error('The receiver ended before it listened.');
}

for (const language of LANGUAGES) {
  const { name, program, version, pay, receive } = language;
  const specs = (): void => {
    it('pays, and takes the good webhook but not the forged one', async () => {
      const port = await freePort();
      const sandbox = await startSandbox({ clock: 'manual' });
      const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
      const env = {
        ...process.env,
        PORT: port,
        PAYMENTS_BASE_URL: baseUrl,
        PAYMENTS_API_KEY: apiKey,
        PAYMENTS_API_SECRET: apiSecret,
        PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
      };
      const running = spawn(program, receive(port), { cwd: folder, env, detached: true });
      receiver = running;
      let printed = '';
      for (const stream of [running.stdout, running.stderr])
        stream.on('data', (text) => (printed += String(text)));
      const until = async (line: string): Promise<void> => {
        while (!printed.includes(line)) await once(running.stdout, 'data');
      };
      await listening(port, () => running.exitCode !== null);
      sandbox.deliverTo(`http://127.0.0.1:${port}/webhooks/payments`);

      const paid = await promisify(execFile)(program, pay, { cwd: folder, env });
      expect(paid.stdout).toBe('pending\n');
      expect(sandbox.payments()).toMatchObject([
        { reference: 'order-1', amount: '15000.00', status: 'pending' },
      ]);
      await sandbox.customer('255712345678').approve('order-1');
      expect(sandbox.deliveries()).toMatchObject([{ status: 200, attempts: [{ status: 200 }] }]);
      await until('payment.success order-1\n');

      // The emulator forges the first try for this number.
      await fetch(`${baseUrl}/payments/mobile-money`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': apiKey,
          'x-api-secret': apiSecret!,
          'idempotency-key': 'order-2',
        },
        body: JSON.stringify({
          amount: 500,
          currency: 'TZS',
          reference: 'order-2',
          phone: '255712340010',
          customer_name: 'Asha Mrema',
          customer_email: 'asha@example.com',
        }),
      });
      await sandbox.clock.advance('10s');
      expect(sandbox.deliveries()[1]?.attempts.map(({ forged, status }) => [forged, status])).toEqual([
        [true, 401],
        [false, 200],
      ]);
      await until('payment.success order-2\n');
      expect(printed.match(/payment\.success/g)).toHaveLength(2);
    }, 120_000);
  };
  if (isThere(program, version)) describe(`docs/other-languages.md in ${name}`, specs);
  else if (process.env['REQUIRE_SERVICES'] === '1')
    it(`runs ${name}`, () => expect.fail(`there is no ${program}: install it`));
  else describeSkipped(`docs/other-languages.md in ${name}`, `there is no ${program}`, specs);
}

it('has a file that pays and one that receives for each language', () => {
  for (const { extension } of LANGUAGES) {
    expect(page).toContain(` pay.${extension}\n`);
    expect(page).toContain(` webhooks.${extension}\n`);
  }
});

function isThere(program: string, version: string): boolean {
  try {
    execFileSync(program, [version], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
