import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bundleCli, CliProcess, environmentOf } from '../../support/cli-process.js';

const CTRL_C = '\u0003';
const LISTENING = ['--listen', '0', '--public-url', 'http://shop.example/hooks'] as const;

let sandbox: PaymentsSandbox;
let folder: string;

beforeAll(bundleCli);
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
  it('sends nothing more after Ctrl-C in place of Enter, and asks the person nothing twice when it continues', async () => {
    const command = onTerminal();
    await command.until('stdout', /Press Enter when that is done\./);
    const sent = sandbox.requests().length;
    command.type(CTRL_C);
    const { code, stdout } = await command.finished();
    expect(code).toBe(1);
    expect(stdout).toContain('It was stopped: the same command continues.');
    expect(sandbox.requests().length).toBe(sent);
    const again = onTerminal();
    await again.until('stdout', /Press Enter when that is done\./);
    expect(again.stdout.match(/Press Enter/g)).toHaveLength(1);
    expect(again.stdout.match(/asked: /g)).toHaveLength(1);
    expect(sandbox.requests().length).toBe(sent + 1);
    again.type(CTRL_C);
    expect((await again.finished()).code).toBe(1);
  });

  it('ends the wait for webhooks at Ctrl-C, and tells what came until then', async () => {
    const command = onTerminal('--wait', '10m');
    for (let person = 1; person <= 5; person += 1) {
      await command.until('stdout', new RegExp(`(?:Press Enter when that is done\\.[^]*){${person}}`));
      command.type('\r');
    }
    await command.until('stdout', /Ctrl-C ends the wait\./);
    command.type(CTRL_C);
    const { code, stdout } = await command.finished();
    expect(code).toBe(0);
    expect(stdout).toContain('The wait for webhooks was ended: what came until now is told.');
    expect(stdout).toMatch(/silent +event payment\.success: no payment\.success within \d+ s/);
  });

  it('names the request that a person ends by an amount that no other request has', async () => {
    sandbox.on('payment', ({ status, amount, reference }) => {
      if (status === 'pending') amounts.push(`${amount} ${reference}`);
    });
    const amounts: string[] = [];
    const command = onTerminal();
    await command.until('stdout', /Press Enter when that is done\./);
    expect(command.stdout).toContain(
      'Approve the newest request, of TZS 2.00, on the phone. Leave all other requests alone, such as those of TZS 1.00.',
    );
    expect(amounts.filter((payment) => payment.startsWith('2.00 '))).toHaveLength(1);
    command.type(CTRL_C);
    await command.finished();
  });
});
