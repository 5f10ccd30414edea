import { type ServerResponse } from 'node:http';
import { HTML_TYPE, send } from '../http/answer.js';
import { controlJs, indexHtml, pageCss, pageJs, viewJs } from '../page/assets.generated.js';

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/': [HTML_TYPE, indexHtml],
  '/page.css': ['text/css; charset=utf-8', pageCss],
  '/page.js': [SCRIPT_TYPE, pageJs],
  '/view.js': [SCRIPT_TYPE, viewJs],
  '/control.js': [SCRIPT_TYPE, controlJs],
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function isPage(path: string): boolean {
  return Object.hasOwn(FILES, path);
}

export function sendPage(response: ServerResponse, path: string): void {
  const [type, text] = FILES[path] ?? [HTML_TYPE, ''];
  send(response, 200, type, text, { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' });
}
