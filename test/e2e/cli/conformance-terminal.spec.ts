import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bundleCli, CliProcess, environmentOf, removeCli } from '../../support/cli-process.js';

const CTRL_C = '\u0003';
const LISTENING = ['--listen', '0', '--public-url', 'http://shop.example/hooks', '--wait', '1s'] as const;

let sandbox: PaymentsSandbox;
let folder: string;

beforeAll(bundleCli);
afterAll(removeCli);
beforeEach(async () => {
  sandbox = await PaymentsSandbox.start({ clock: 'manual' });
  folder = mkdtempSync(join(tmpdir(), 'payments-conformance-'));
});
afterEach(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

const onTerminal = (...args: string[]): CliProcess =>
  new CliProcess(['conformance', '--phone', '255712345678', '--max-amount', '5000', ...LISTENING, ...args], {
    folder,
    environment: environmentOf(sandbox),
    terminal: true,
  });

describe('nestjs-payments conformance on a terminal', () => {
  it('sends nothing more after Ctrl-C in place of Enter, and asks the person nothing twice when it goes on', async () => {
    const command = onTerminal();
    await command.until('stdout', /Press Enter when that is done\./);
    const sent = sandbox.requests().length;
    command.type(CTRL_C);
    const { code, stdout } = await command.finished();
    expect(code).toBe(1);
    expect(stdout).toContain('It was stopped: the same command goes on.');
    expect(sandbox.requests().length).toBe(sent);
    const again = onTerminal();
    await again.until('stdout', /Press Enter when that is done\./);
    expect(again.stdout.match(/Press Enter/g)).toHaveLength(1);
    expect(again.stdout.match(/asked: /g)).toHaveLength(1);
    expect(sandbox.requests().length).toBe(sent + 1);
    again.type(CTRL_C);
    expect((await again.finished()).code).toBe(1);
  });
});
