import { describe, expect, it } from 'vitest';
import { text } from '../../../lib/cli/command.js';
import { parseCommandLine } from '../../../lib/cli/command-line.js';
import { SANDBOX_OPTIONS } from '../../../lib/cli/sandbox/sandbox-arguments.js';
import { composeFile, containerFiles } from '../../support/compose-file.js';

describe('the files of docs/containers.md', () => {
  const { gateway, application, args } = composeFile();

  it('start the emulator with options that it has', () => {
    const [command, ...rest] = args;
    expect(command).toBe('sandbox');
    const options = { port: text('<number>', ''), ...SANDBOX_OPTIONS };
    const { values } = parseCommandLine(rest, options, { positionals: false });
    expect(values).toMatchObject({ 'allow-remote': true, 'allow-host': ['gateway'], host: '0.0.0.0' });
  });

  it('lead both services to each other', () => {
    expect(new URL(application.environment['PAYMENTS_BASE_URL']!).host).toBe('gateway:4242');
    expect(args[args.indexOf('--forward-to') + 1]).toBe('http://application:3000/webhooks/payments');
    expect(args[args.indexOf('--webhook-secret') + 1]).toBe(
      application.environment['PAYMENTS_WEBHOOK_SECRET'],
    );
    expect(gateway.environment['PAYMENTS_SANDBOX_TOKEN']).toMatch(/./);
  });

  it('install the emulator alone, as docs/installation.md says', () => {
    expect(gateway.environment['NPM_CONFIG_LEGACY_PEER_DEPS']).toBe('true');
  });

  it('run the tests of CI by sandbox exec', () => {
    const workflow = containerFiles()[1] as { jobs: { test: { steps: readonly { run?: string }[] } } };
    expect(workflow.jobs.test.steps.at(-1)?.run).toBe('npx nestjs-payments sandbox exec --auto -- npm test');
  });
});
