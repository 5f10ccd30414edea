import { type ServerResponse } from 'node:http';
import { HTML_TYPE, send } from '../http/answer.js';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/**
 * Keeps the token of the page's link in a cookie and leads to the page. A redirect would not do: a browser that
 * follows a link of another site sends no `SameSite=Strict` cookie to where it is redirected.
 */
export function sendTokenAccepted(response: ServerResponse, cookie: string): void {
  const refresh = '<meta http-equiv="refresh" content="0; url=./" />';
  send(response, 200, HTML_TYPE, html(refresh, '<p><a href="./">Payments sandbox</a></p>'), {
    ...HEADERS,
    'set-cookie': cookie,
  });
}

/** Tells a person, in both languages of the page, where the link is. */
export function sendTokenNeeded(response: ServerResponse, status: number): void {
  const english =
    'This page needs its token. Open the link that the emulator printed when it started: it ends in <code>/?token=…</code>';
  const swahili =
    'Ukurasa huu unahitaji tokeni yake. Fungua kiungo ambacho kiigizi kilichapisha kilipoanza: kinaishia kwa <code>/?token=…</code>';
  send(response, status, HTML_TYPE, html('', `<p>${english}</p><p lang="sw">${swahili}</p>`), {
    ...HEADERS,
    'www-authenticate': 'Bearer',
  });
}

function html(head: string, body: string): string {
  const meta =
    '<meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" /><meta name="color-scheme" content="light dark" />';
  return `<!doctype html><html lang="en"><head>${meta}${head}<title>Payments sandbox</title></head><body><main><h1>Payments sandbox</h1>${body}</main></body></html>`;
}
