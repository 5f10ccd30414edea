import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sandboxCommand } from '../../../../lib/cli/sandbox/sandbox.command.js';

async function listenAndStop(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return bound;
}

it('an emulator that cannot say where it is stops again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-command-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const port = await listenAndStop(0);
  const plain = (_look: string, text: string): string => text;
  const running = sandboxCommand.run(['--port', String(port), '--json'], {
    terminal: {
      data: () => {
        throw new Error('nobody reads');
      },
      say: () => undefined,
      paint: plain,
      paintData: plain,
    },
    environment: {},
    folder,
    input: () => Promise.resolve(Buffer.of()),
    onSignal: () => () => undefined,
    interactive: false,
    ask: () => Promise.resolve(''),
  });
  await expect(running).rejects.toThrow('nobody reads');
  expect(await listenAndStop(port)).toBe(port);
});
