import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

/** What a receiver answered. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Its first `SHOWN_BYTES` as text. */
  readonly body: string;
}

/** How one POST ended: the answer, or why there was none. */
export type SendResult = ReceiverAnswer | { readonly problem: string };

/** Enough to see what went wrong. */
const SHOWN_BYTES = 4_096;

/** Posts webhooks, one connection each, and can give up all that are under way. */
export class WebhookSender {
  private readonly underWay = new Map<ClientRequest, string>();

  constructor(private readonly timeoutMs: number) {}

  send(
    merchant: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Promise<SendResult> {
    return new Promise((resolve) => {
      const post = url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = post(url, {
        method: 'POST',
        agent: false,
        headers: { ...headers, 'content-length': body.length },
      });
      const timer = setTimeout(() => {
        request.destroy(new Error(`no answer within ${this.timeoutMs} ms`));
      }, this.timeoutMs);
      this.underWay.set(request, merchant);
      request.on('response', (response) => {
        const kept: Buffer[] = [];
        let size = 0;
        // Read to the end: the receiver may still be working while it streams its answer.
        response.on('data', (chunk: Buffer) => {
          if (size < SHOWN_BYTES) kept.push(chunk.subarray(0, SHOWN_BYTES - size));
          size += chunk.length;
        });
        response.on('end', () => {
          resolve(answerOf(response, Buffer.concat(kept)));
        });
        response.on('error', (error) => {
          resolve({ problem: problemOf(error, url) });
        });
      });
      request.on('error', (error) => {
        resolve({ problem: problemOf(error, url) });
      });
      request.on('close', () => {
        clearTimeout(timer);
        this.underWay.delete(request);
        resolve({ problem: 'the connection ended without an answer' });
      });
      request.end(body);
    });
  }

  /** Gives up the deliveries of one merchant, or all. */
  abort(merchant?: string): void {
    for (const [request, owner] of this.underWay) {
      if (merchant === undefined || owner === merchant) request.destroy(new Error('the sandbox gave it up'));
    }
  }
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): ReceiverAnswer {
  const shown = Object.entries(headers).map(([name, value = '']) => [name, String(value)] as const);
  return { status: statusCode, headers: Object.fromEntries(shown), body: body.toString() };
}

function problemOf(error: NodeJS.ErrnoException, url: URL): string {
  if (error.code === 'ECONNREFUSED') {
    return `nothing listens at ${url.host} (is the application running, and is the port right?)`;
  }
  if (error.code === 'ECONNRESET') return 'the connection ended without an answer';
  // An AggregateError of several addresses has an empty message.
  return error.message || error.code || 'the connection failed';
}
