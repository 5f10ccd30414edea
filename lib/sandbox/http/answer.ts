import { type OutgoingHttpHeaders, type ServerResponse } from 'node:http';

/** Sends a whole answer; nothing happens where the receiver has gone. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.destroyed) return;
  sendHead(response, status, contentType, Buffer.byteLength(body), headers);
  response.end(body);
}

/** Sends an answer's head alone. */
export function sendHead(
  response: ServerResponse,
  status: number,
  contentType: string,
  length: number,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': contentType,
    'content-length': length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
}

export const JSON_TYPE = 'application/json; charset=utf-8';
export const HTML_TYPE = 'text/html; charset=utf-8';
