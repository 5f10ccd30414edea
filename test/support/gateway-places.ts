import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type PaymentsModuleOptions, isPaymentsError } from 'nestjs-payments';
import { bankRecord, bankRequest, envelope } from './gateway-answers.js';
import { startMerchant } from './merchant.js';

/** The result of a payout: the error and whether money may have moved, or `ok`; then how far each of its tries came. */
export type PayoutEnd = readonly unknown[];

export const OK: PayoutEnd = ['ok', ['answered']];
export const NOT_SENT: PayoutEnd = ['GatewayUnreachableError', false, ['not-sent', 'not-sent', 'not-sent']];
export const UNKNOWN: PayoutEnd = ['PaymentOutcomeUnknownError', true, ['ambiguous']];

/** Gateways, and proxies before them, on ports of this machine. */
export class GatewayPlaces {
  /** How many requests reached a gateway. */
  requests = 0;
  private readonly closing: (() => unknown)[] = [];

  readonly accept: RequestListener = (request, response) => {
    this.requests += 1;
    request.resume().on('end', () => response.end(JSON.stringify(envelope(bankRecord))));
  };
  readonly breakOff: RequestListener = (request) => {
    this.requests += 1;
    request.socket.destroy();
  };

  async plain(listener: RequestListener = this.accept): Promise<string> {
    return `http://127.0.0.1:${await this.listen(createHttpServer(listener))}/api/v1`;
  }

  async secured(options: ServerOptions, listener: RequestListener = this.accept): Promise<string> {
    return `https://127.0.0.1:${await this.listen(createHttpsServer(options, listener))}/api/v1`;
  }

  /** A port on which nobody listens. */
  async closedPort(): Promise<number> {
    const server = createHttpServer();
    const port = await this.listen(server);
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  /**
   * A proxy that opens tunnels.
   *
   * @param options Where the way to the proxy itself is secured.
   * @param refusal What it answers instead.
   */
  tunnel(options?: ServerOptions, refusal?: string): Promise<number> {
    const server = options ? createHttpsServer(options) : createHttpServer();
    server.on('connect', ({ url = '' }: { readonly url?: string }, client: Socket) => {
      if (refusal !== undefined) return client.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\n\r\n`);
      const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      for (const socket of [target, client]) socket.on('error', () => undefined);
      this.closing.push(
        () => target.destroy(),
        () => client.destroy(),
      );
      return undefined;
    });
    return this.listen(server);
  }

  /** @param key What an interceptor puts in place of the idempotency key. */
  async pay(baseUrl: string, http: PaymentsModuleOptions['http'] = {}, key?: string): Promise<PayoutEnd> {
    const merchant = await startMerchant({ baseUrl, http, timeoutMs: 2_000 });
    this.closing.push(() => merchant.close());
    if (key !== undefined) {
      merchant.http.axiosRef.interceptors.request.use((config) => {
        config.headers.set('Idempotency-Key', key);
        return config;
      });
    }
    return merchant.disbursements.bank(bankRequest).then(
      ({ lastResponse }) => ['ok', lastResponse.attempts.map(({ phase }) => phase)],
      (error: unknown) =>
        isPaymentsError(error)
          ? [error.name, error.mayHaveBeenProcessed, error.attempts?.map(({ phase }) => phase)]
          : [error],
    );
  }

  /** To be closed with the rest. */
  defer(close: () => unknown): void {
    this.closing.push(close);
  }

  async close(): Promise<void> {
    this.requests = 0;
    for (const close of this.closing.splice(0).reverse()) await close();
  }

  private async listen(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }
}
