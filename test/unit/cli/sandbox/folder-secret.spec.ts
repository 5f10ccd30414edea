import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { folderSecret, stateFolderOf } from '../../../../lib/cli/sandbox/folder-secret.js';
import { standardWebhooks } from '../../../../lib/webhooks/signature/standard-webhooks.js';
import { secretProblem } from '../../../../lib/common/webhook-secret.js';

const root = mkdtempSync(join(tmpdir(), 'folder-secret-'));

afterAll(() => {
  rmSync(root, { recursive: true });
});

describe('the webhook secret of a folder', () => {
  it('comes from a key that only its user can read, and of which nothing else is left', () => {
    const state = join(root, 'state');
    const secret = folderSecret(root, { XDG_STATE_HOME: state });
    expect(folderSecret(root, { XDG_STATE_HOME: state })).toBe(secret);
    const folder = join(state, 'nestjs-payments');
    expect(readdirSync(folder)).toEqual(['webhook-secret-key']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'webhook-secret-key')).mode & 0o777).toBe(0o600);
  });

  it('is the same one under another name of the folder', () => {
    symlinkSync(root, join(root, 'link'));
    const environment = { HOME: join(root, 'home') };
    expect(folderSecret(join(root, 'link'), environment)).toBe(folderSecret(root, environment));
  });

  it('is the same one however its letters are typed, where the file system does not care', () => {
    const environment = { HOME: join(root, 'home') };
    const real = vi.spyOn(realpathSync, 'native').mockReturnValue(String.raw`C:\Shop`);
    try {
      expect(folderSecret(String.raw`c:\shop`, environment)).toBe(
        folderSecret(String.raw`C:\SHOP`, environment),
      );
    } finally {
      real.mockRestore();
    }
  });

  it('fits the scheme that asks for the most', () => {
    const secret = folderSecret(root, { HOME: join(root, 'home') })!;
    expect(secretProblem({ value: secret }, standardWebhooks().secretForm)).toBeUndefined();
  });

  it.each<[NodeJS.ProcessEnv, string | undefined]>([
    [{ XDG_STATE_HOME: '/state', LOCALAPPDATA: '/local', HOME: '/home/asha' }, '/state'],
    [{ XDG_STATE_HOME: 'state', HOME: '/home/asha' }, '/home/asha/.local/state'],
    [{ LOCALAPPDATA: '/local', HOME: '/home/asha' }, '/local'],
    [{ HOME: '' }, undefined],
    [{}, undefined],
  ])('has with %j its key below %s', (environment, expected) => {
    expect(stateFolderOf(environment)).toBe(expected);
  });
});
