import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { basename, dirname, join } from 'node:path';
import { run, start } from './command.mjs';
import { blocksOf } from './readme-blocks.mjs';
import { withoutEndings } from './source.mjs';

const OF_THE_USER = 'GREETING=kept';
/** Commands that run until they are stopped, and what they print when they are ready. */
const SERVERS = { 'npx nestjs-payments sandbox': /Ctrl-C ends it/, 'npm start': /successfully started/ };
/** As `install.mjs` has it: what the README's commands are about stays the same. */
const QUIET_NPM = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_ignore_scripts: 'true',
  npm_config_prefer_offline: 'true',
};
const givenPorts = new Set();
const ADDRESSES = { app: '127.0.0.1:3000', emulator: '127.0.0.1:4242' };

/** Builds an application of `nest new` out of the README's blocks alone, pays in it and runs its tests. */
export async function checkReadme(step, { root, nest, cli, format, cwd, tarball, env }) {
  const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'));
  const commands = blocks.filter(({ command }) => command !== undefined);
  await step('nest new', () => nestNew(cli, { cwd, env }));
  await step('install', () =>
    shell(installCommand(commands, nest, tarball), { cwd, env: { ...env, ...QUIET_NPM } }),
  );
  await step('copy the snippets', () => copySnippets(blocks, { cwd, format }));
  await step('type check', () => run('npx', ['--no', '--', 'tsc', '--noEmit'], { cwd, env }));
  await step('run, pay, approve, paid', () => play(commands, { cwd, env }));
  await step('its test, beside those of nest new', () => checkTests({ cwd, env }));
}

function nestNew(version, { cwd, env }) {
  const args = ['--skip-install', '--skip-git', '--package-manager', 'npm'];
  const cli = ['--yes', `@nestjs/cli@${version}`];
  return run('npx', [...cli, 'new', basename(cwd), ...args], {
    cwd: dirname(cwd),
    env: { ...env, ...QUIET_NPM },
  });
}

/** The command below the sentence that names this Nest, with the tarball for the package's name. */
function installCommand(commands, nest, tarball) {
  const found = commands.filter(
    ({ command, before }) => command.startsWith('npm install ') && before.includes(`Nest ${nest}`),
  );
  assert.equal(found.length, 1, `README.md has ${found.length} commands that install for Nest ${nest}.`);
  const [{ command }] = found;
  assert.match(command, / nestjs-payments /);
  return command.replace(' nestjs-payments ', ` '${tarball}' `);
}

function copySnippets(blocks, { cwd, format }) {
  const files = blocks.filter(({ file }) => file !== undefined);
  for (const { file, code } of files) write(file, code);
  // "Add `SuppliersService` to the `providers` of `src/app.module.ts`."
  const module = files.find(({ file }) => file === 'src/app.module.ts');
  const suppliers = `import { SuppliersService } from './suppliers.service.js';\n`;
  const list = '  providers: [\n';
  assert.ok(module.code.includes(list));
  write(module.file, `${suppliers}${module.code.replace(list, `${list}    SuppliersService,\n`)}`);

  // "In CommonJS […] leave out `.js` in the imports of your own files."
  function write(file, code) {
    writeFileSync(join(cwd, file), format === 'CommonJS' ? withoutEndings(code) : code);
  }
}

/** Runs the commands in order, on free ports. */
async function play(commands, { cwd, env }) {
  const ports = { app: await freePort(), emulator: await freePort() };
  writeFileSync(join(cwd, '.env'), OF_THE_USER);
  const running = [];
  let answer = '';
  try {
    for (const { command } of commands.filter((each) => !each.command.startsWith('npm install '))) {
      const [, ready] = Object.entries(SERVERS).find(([begin]) => command.startsWith(begin)) ?? [];
      const line = onPorts(command, ports);
      if (ready === undefined) answer = await shell(line, { cwd, env });
      else {
        const server = start('sh', ['-c', line], { cwd, env: { ...env, PORT: String(ports.app) } });
        running.push(server);
        await server.until(ready);
      }
    }
  } finally {
    for (const server of running) await server.stop();
  }
  const said = running.map((server) => server.said.text).join('\n');
  assert.equal(answer, '{"id":"order-1","paid":true}', `The last command answered ${answer}:\n${said}`);
  const kept = readFileSync(join(cwd, '.env'), 'utf8').startsWith(`${OF_THE_USER}\n`);
  assert.ok(kept, 'A command of the README has lost a line of .env.');
}

function onPorts(command, { app, emulator }) {
  const line = command.replaceAll(ADDRESSES.app, `127.0.0.1:${app}`);
  return line
    .replaceAll(ADDRESSES.emulator, `127.0.0.1:${emulator}`)
    .replace('nestjs-payments sandbox', `nestjs-payments sandbox --port ${emulator}`);
}

async function checkTests(place) {
  assert.match(await shell('npm test 2>&1', place), /Tests:?\s+2 passed/);
}

/** Another one each time, because the applications run beside each other. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  if (givenPorts.has(port)) return freePort();
  givenPorts.add(port);
  return port;
}

function shell(line, options) {
  return run('sh', ['-c', line], { ...options, timeoutMs: 300_000 });
}
