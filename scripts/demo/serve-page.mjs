// The demo's page: the shop and the customer's phone side by side, each in a frame that only this page may show.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const HOST = '127.0.0.1';
const FILES = ['index.html', 'demo.css', 'demo.js', 'words.js'];
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
const contents = new Map(
  FILES.map((name) => [`/${name}`, readFileSync(new URL(`page/${name}`, import.meta.url))]),
);

/**
 * Serves the page, whose origin the shop and the emulator must know when they start.
 *
 * @returns `show({ shop, phone })` names what the frames show. The caller closes it.
 */
export async function startPage(port) {
  let addresses;
  const server = createServer(({ method, url }, response) => {
    const path = url === '/' ? '/index.html' : url.split('?', 1)[0];
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && path === '/addresses' && addresses)
      answer(response, 'application/json', JSON.stringify(addresses));
    else if (isRead && contents.has(path))
      answer(response, TYPES[extname(path)], contents.get(path), policy(addresses));
    else response.writeHead(404).end();
  }).listen(port, HOST);
  await once(server, 'listening');
  return {
    origin: `http://${HOST}:${server.address().port}`,
    show: (shown) => void (addresses = shown),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @returns The value of `Content-Security-Policy`. */
function policy(addresses = {}) {
  const frames = Object.values(addresses).map((address) => new URL(address).origin);
  return [
    "default-src 'self'",
    "img-src 'self' data:",
    `frame-src ${frames.join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function answer(response, type, body, contentSecurityPolicy = "default-src 'none'") {
  response.writeHead(200, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  response.end(body);
}
