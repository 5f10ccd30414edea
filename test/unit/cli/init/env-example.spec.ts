import { describe, expect, it } from 'vitest';
import { parseEnv } from 'node:util';
import { envExample as envExampleOf } from '../../../../lib/cli/init/env-example.js';

const envExample = (before: string | undefined): string =>
  envExampleOf(before, { exec: (args) => `yarn nestjs-payments ${args}` });

describe('envExample', () => {
  it('begins a file with every variable, and adds nothing the second time', () => {
    const text = envExample(undefined);
    expect(parseEnv(text)).toEqual({
      PAYMENTS_BASE_URL: 'http://127.0.0.1:4242/api/v1',
      PAYMENTS_API_KEY: 'pk_test_demo',
      PAYMENTS_API_SECRET: 'sk_test_demo',
      PAYMENTS_WEBHOOK_SECRET: '',
    });
    expect(envExample(text)).toBe(text);
  });

  it('names the command that writes them, as the package manager spells it', () => {
    expect(envExample(undefined)).toContain(
      '# Payments. `yarn nestjs-payments sandbox --write-env .env` writes a whole set',
    );
  });

  it.each([
    ['PORT=3000\n', 'PORT=3000\n\n# Payments.'],
    ['PORT=3000', 'PORT=3000\n\n# Payments.'],
    ['PORT=3000\r\nHOST=\r\n', 'PORT=3000\r\nHOST=\r\n\r\n# Payments.'],
    ['\n', '\n# Payments.'],
  ])('adds to %j below what is there', (before, start) => {
    const after = envExample(before);
    expect(after.startsWith(start)).toBe(true);
    expect(after.replaceAll('\r\n', '').includes('\n')).toBe(!before.includes('\r\n'));
  });

  it('adds only what is missing; a commented or exported variable is there', () => {
    const before =
      'export PAYMENTS_BASE_URL=x\n# PAYMENTS_API_KEY=y\nMY_PAYMENTS_API_SECRET=z\n  PAYMENTS_WEBHOOK_SECRET =w\n';
    const added = envExample(before).slice(before.length);
    expect(Object.keys(parseEnv(added))).toEqual(['PAYMENTS_API_SECRET']);
  });
});
