import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** One webhook as it came over the socket. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A plain server that keeps what it gets and answers with the given statuses, the last one forever. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  answerWith(...statuses: (number | 'never')[]): void;
  /** Answers the newest request that got no answer. */
  answerLast(status: number): void;
  /** Answers every request that got no answer. */
  answerAll(status: number): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let statuses: (number | 'never')[] = [200];
  let waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      if (status === 'never') waiting.push(response);
      if (typeof status === 'number') response.writeHead(status, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/payments?shop=1&till=2`,
    received,
    answerWith: (...next) => {
      statuses = next;
    },
    answerLast: (status) => {
      waiting.pop()?.writeHead(status).end();
    },
    answerAll: (status) => {
      for (const response of waiting) response.writeHead(status).end();
      waiting = [];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
