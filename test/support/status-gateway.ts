import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';

/**
 * Stands before an emulator, which has no status query, and answers one under `/payments/{reference}`: the first payment that was made
 * with the reference, with this status. Everything reaches the emulator. Gives the address; it ends with the test.
 */
export async function withStatusQuery(sandbox: PaymentsSandbox, status: string): Promise<string> {
  const made = new Map<string, Readonly<Record<string, unknown>>>();
  const target = new URL(sandbox.baseUrl).origin;
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { method = 'GET', url = '/' } = request;
      const headers = new Headers();
      for (const [name, values] of Object.entries(request.headersDistinct))
        headers.set(name, values?.[0] ?? '');
      for (const own of ['host', 'connection', 'content-length', 'transfer-encoding']) headers.delete(own);
      const body = method === 'POST' && { body: Buffer.concat(parts) };
      const answer = await fetch(target + url, { method, headers, ...body });
      const text = await answer.text();
      if (method === 'POST' && answer.ok) remember(made, text);
      const known = made.get(/\/payments\/([^/]+)$/.exec(url)?.[1] ?? '');
      const isAsked = method === 'GET' && known !== undefined;
      for (const [name, value] of answer.headers)
        if (!/^(connection|content-length|transfer-encoding|keep-alive)$/.test(name))
          response.setHeader(name, value);
      response.statusCode = isAsked ? 200 : answer.status;
      response.end(isAsked ? JSON.stringify({ status: 'success', data: { ...known, status } }) : text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

function remember(made: Map<string, Readonly<Record<string, unknown>>>, text: string): void {
  const { data } = JSON.parse(text) as { readonly data?: Readonly<Record<string, unknown>> | null };
  const reference = data?.['reference'];
  if (data && typeof reference === 'string' && !made.has(reference)) made.set(reference, data);
}
