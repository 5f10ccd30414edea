import { type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { HTML_TYPE, send } from '../http/answer.js';
import { pageFiles } from './assets.generated.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': HTML_TYPE,
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export function isPage(path: string): boolean {
  return path === '/' || Object.hasOwn(pageFiles, path.slice(1));
}

/** @param frameAncestors Origins whose pages may show this page in a frame; none if empty. */
export function sendPage(response: ServerResponse, path: string, frameAncestors: readonly string[]): void {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const type = TYPES[extname(name)] ?? HTML_TYPE;
  send(response, 200, type, pageFiles[name] ?? '', {
    'content-security-policy': `${POLICY}; frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
    'referrer-policy': 'no-referrer',
  });
}
