import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBrowser, openerOf } from '../../../../lib/cli/sandbox/open-browser.js';

it.each<[NodeJS.Platform, NodeJS.ProcessEnv, readonly string[] | undefined]>([
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', { WSL_DISTRO_NAME: 'Debian' }, ['xdg-open']],
  ['freebsd', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', {}, undefined],
  ['linux', { DISPLAY: '' }, undefined],
])('on %s with %j a URL is opened by %j', (platform, environment, opener) => {
  expect(openerOf(platform, environment)).toEqual(opener);
});

it.runIf(process.platform === 'linux')('hands the whole URL to the program', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'open-browser-'));
  const program = `#!${process.execPath}\nfetch(process.argv[2])\n`;
  writeFileSync(join(folder, 'xdg-open'), program, { mode: 0o755 });
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request') as Promise<[{ url: string }]>;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?a=b&c=d`;
  expect(await openBrowser(url, { DISPLAY: ':0', PATH: folder })).toBe(true);
  expect((await asked)[0].url).toBe('/?a=b&c=d');
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

it.runIf(process.platform === 'linux')('resolves to false where no program can be started', async () => {
  expect(await openBrowser('http://127.0.0.1:1/', { DISPLAY: ':0', PATH: '/nowhere' })).toBe(false);
  expect(await openBrowser('http://127.0.0.1:1/', { PATH: '/nowhere' })).toBe(false);
});
