import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type ReceiverAnswer } from '../core/delivery.js';
import { certificateCheck, type SystemLookup } from './certificate-check.js';

/** The result of one POST: an answer, or the reason for none. */
export type SendResult = ReceiverAnswer | { readonly problem: string };

/** Enough to see an error message. */
const SHOWN_BYTES = 4_096;

/** Posts webhooks, each on its own connection. */
export class WebhookSender {
  private readonly running = new Map<ClientRequest, string>();

  /** @param lookup Finds the addresses of a host name. */
  constructor(
    private readonly timeoutMs: number,
    private readonly lookup?: SystemLookup,
  ) {}

  send(
    merchant: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ): Promise<SendResult> {
    return new Promise((resolve) => {
      const options = {
        method: 'POST',
        agent: false,
        headers: { ...headers, 'content-length': body.length },
      };
      const request =
        url.protocol === 'https:'
          ? requestHttps(url, { ...options, ...certificateCheck(url, this.lookup) })
          : requestHttp(url, options);
      const timer = setTimeout(() => {
        request.destroy(new Error(`no answer within ${this.timeoutMs} ms`));
      }, this.timeoutMs);
      this.running.set(request, merchant);
      request.on('response', (response) => {
        const kept: Buffer[] = [];
        let size = 0;
        // Read to the end: the receiver may work until the end of its answer.
        response.on('data', (chunk: Buffer) => {
          if (size < SHOWN_BYTES) kept.push(chunk.subarray(0, SHOWN_BYTES - size));
          size += chunk.length;
        });
        response.on('end', () => {
          resolve(answerOf(response, Buffer.concat(kept)));
        });
        response.on('error', (error) => {
          resolve({ problem: connectionProblem(error, url) });
        });
      });
      request.on('error', (error) => {
        resolve({ problem: connectionProblem(error, url) });
      });
      request.on('close', () => {
        clearTimeout(timer);
        this.running.delete(request);
        resolve({ problem: 'the connection ended without an answer' });
      });
      request.end(body);
    });
  }

  /** Aborts the running POSTs of one merchant, or all. */
  abort(merchant?: string): void {
    for (const [request, owner] of this.running) {
      if (merchant === undefined || owner === merchant) request.destroy(new Error('the sandbox gave it up'));
    }
  }
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): ReceiverAnswer {
  const shown = Object.entries(headers).map(([name, value = '']) => [name, String(value)] as const);
  return { status: statusCode, headers: Object.fromEntries(shown), body: body.toString() };
}

function connectionProblem(error: NodeJS.ErrnoException, url: URL): string {
  if (error.code === 'ECONNREFUSED') {
    return `nothing listens at ${url.host} (is the application running, and is the port right?)`;
  }
  if (error.code === 'ECONNRESET') return 'the connection ended without an answer';
  // An AggregateError for several addresses has an empty message.
  return error.message || error.code || 'the connection failed';
}

/** The facts that decide about deliveries. */
export type DeliveryFacts = Pick<ResolvedFacts, 'webhook answers' | 'first redelivery' | 'repeated webhook'>;

/**
 * Why a try did not count as delivered: only 200 does (specification, "Events" rule 2), unless the facts say otherwise.
 * Undefined if it counted.
 */
export function problemOf(result: SendResult, facts: DeliveryFacts): string | undefined {
  if ('problem' in result) return result.problem;
  const { status } = result;
  if (status === 200 || (facts['webhook answers'] === '2xx' && status < 300)) return undefined;
  if (result.status >= 300 && result.status < 400)
    return `answered ${result.status}: redirects are not followed`;
  return `answered ${result.status} instead of 200`;
}

/** The problem of a try with a forged signature, which never counts. */
export function problemOfForged(result: SendResult): string {
  if ('problem' in result) return result.problem;
  return result.status < 300
    ? `answered ${result.status} to a forged signature: the application does not verify webhooks`
    : `answered ${result.status}: its signature was forged on purpose`;
}
