import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

// Only what the demo refuses before it builds: `.ci/run` plays the rest.
let occupied: Server;

beforeAll(async () => {
  occupied = createServer().listen(0, '127.0.0.1');
  await once(occupied, 'listening');
});
afterAll(async () => {
  occupied.close();
  await once(occupied, 'close');
});

let child: ChildProcess | undefined;

// A test that runs out of time leaves its process behind, and that would keep the whole run open.
afterEach(() => {
  child?.kill('SIGKILL');
});

function demo(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], NO_COLOR: '1' };
    child = execFile(process.execPath, ['scripts/demo.mjs', ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

describe('npm run demo', () => {
  it.each([
    { option: '--port', step: 'Start the emulator' },
    { option: '--shop-port', step: 'Start the shop' },
    { option: '--page-port', step: 'Start the page' },
  ])('names the step and the way out when $option is taken', async ({ option, step }) => {
    const port = String((occupied.address() as AddressInfo).port);
    expect(await demo('--once', option, port)).toEqual({
      code: 1,
      stdout: '',
      stderr: `✖ ${step}: port ${port} is taken. Choose another with ${option}.\n`,
    });
  });

  it.each([
    ['--twice'],
    ['--port', 'abc'],
    ['--port', '5000', '--shop-port', '5000'],
    ['--page-port', '5000', '--port', '5000'],
    ['extra'],
  ])('answers %s with its usage and exit code 2', async (...args) => {
    const { code, stdout, stderr } = await demo(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: npm run demo');
  });

  it('explains its options', async () => {
    expect(await demo('--help')).toMatchObject({ code: 0, stderr: '' });
  });
});
