import { connect } from 'node:net';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';

/** Everything that a call got back, byte for byte, until its connection ended. */
export function rawCall(sandbox: PaymentsSandbox, operation: string, body?: object): Promise<string> {
  const [method = '', path = ''] = operation.split(' ');
  const { hostname, port, pathname } = new URL(sandbox.baseUrl);
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} ${pathname}${path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    'authorization: Bearer pk_test_demo',
    `idempotency-key: ${String((body as { reference?: string } | undefined)?.reference)}`,
    ...(text === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
    'connection: close',
  ];
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${text}`));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString());
    });
  });
}
