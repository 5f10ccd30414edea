import { type OutgoingHttpHeaders, type ServerResponse } from 'node:http';

/** An answer before it is sent: the gateway's JSON, or the text of something else. */
export interface WireAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | string;
  /** Of a text. @default that of the gateway's JSON */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether an answer of this status may have a body. */
export function mayHaveBody(status: number): boolean {
  return ![204, 205, 304].includes(status);
}

/** Sends a whole answer, in so many pieces. Does nothing if the receiver has gone. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
  pieces = 1,
): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(body);
  sendHead(response, status, contentType, pieces === 1 ? bytes.length : undefined, headers);
  const size = Math.ceil(bytes.length / pieces);
  for (let start = 0; start < bytes.length; start += size)
    response.write(bytes.subarray(start, start + size));
  response.end();
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, JSON_TYPE, JSON.stringify(body));
}

/** Sends only an answer's head. Without a length, the body is chunked. */
export function sendHead(
  response: ServerResponse,
  status: number,
  contentType: string,
  length: number | undefined,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, answerHeaders(status, contentType, length, headers));
}

/** The headers of every answer. One that can have no body has a length only where HTTP asks for it. */
export function answerHeaders(
  status: number,
  contentType: string,
  length: number | undefined,
  headers: OutgoingHttpHeaders = {},
): OutgoingHttpHeaders {
  const hasBody = mayHaveBody(status);
  return {
    ...headers,
    ...(hasBody && { 'content-type': contentType }),
    ...(length !== undefined && (hasBody || status === 205) && { 'content-length': length }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
}

export const JSON_TYPE = 'application/json; charset=utf-8';
export const HTML_TYPE = 'text/html; charset=utf-8';
