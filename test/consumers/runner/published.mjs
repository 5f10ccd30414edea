import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { join } from 'node:path';
import { run } from './command.mjs';

/** What npm registers of the package, which its page shows, is what the tarball holds: `checkLinks` has read that. */
export async function checkPublished({ tarball, content, work }) {
  const { versions } = await publish(tarball, work);
  const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
  const registered = versions[manifest.version];
  assert.deepEqual(registered.repository, manifest.repository);
  assert.ok(
    registered.readme === readFileSync(join(content, 'README.md'), 'utf8'),
    'npm registers another README than the tarball holds.',
  );
}

/** Publishes to a registry of this process, which has no package yet; resolves to what npm sends. */
async function publish(tarball, work) {
  let sent;
  const registry = createServer((request, response) => {
    void (async () => {
      if (request.method === 'PUT') sent = await json(request);
      response.writeHead(request.method === 'PUT' ? 201 : 404, { 'content-type': 'application/json' });
      response.end('{}');
    })();
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const host = `//127.0.0.1:${registry.address().port}/`;
  try {
    await run('npm', ['publish', tarball, `--registry=http:${host}`, `--${host}:_authToken=none`], {
      cwd: work,
    });
  } finally {
    registry.close();
  }
  assert.ok(sent, 'npm sent nothing.');
  return sent;
}
