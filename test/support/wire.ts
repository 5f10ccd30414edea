import { once } from 'node:events';
import { connect } from 'node:net';

/** A header as it is on the wire. */
export type HeaderLine = readonly [name: string, value: string];

/** A request that no HTTP client would write. */
export interface WireRequest {
  readonly method?: string;
  readonly target?: string;
  /** Content-Length is added if neither it nor Transfer-Encoding is there. */
  readonly lines?: readonly HeaderLine[];
  readonly body?: Uint8Array;
}

export interface WireAnswer {
  readonly status: number;
  readonly head: string;
  readonly text: string;
}

/** The bytes of a request after which the connection is to be closed. */
export function requestBytes({
  method = 'POST',
  target = '/webhooks/payments',
  lines = [],
  body = Buffer.of(),
}: WireRequest): Buffer {
  const framed = lines.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const all: readonly HeaderLine[] = [
    ['Host', 'shop.test'],
    ...(framed ? [] : [['Content-Length', String(body.length)] as const]),
    ...lines,
    ['Connection', 'close'],
  ];
  const head = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]);
}

/** The only answer that these bytes get before the connection is closed. */
export async function answerTo(port: number, bytes: Uint8Array): Promise<WireAnswer> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', ...text] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  return { status, head, text: text.join('\r\n\r\n') };
}
