import { createServer, type Server } from 'node:https';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isPaymentsError } from 'nestjs-payments';
import { collectionRecord, collectionRequest, envelope } from './gateway-answers.js';
import { startMerchant } from './merchant.js';

// Runs as a process of its own: which certificates are trusted is read once, when Node starts.

const TLS = join('test', 'support', 'tls');
const certificate = (path: string): { cert: Buffer; key: Buffer } => ({
  cert: readFileSync(`${path}.cert.pem`),
  key: readFileSync(`${path}.key.pem`),
});

const counts = { connections: 0, requests: 0 };
let answer = (_request: IncomingMessage, response: ServerResponse, reference: string): void => {
  response.end(JSON.stringify(envelope({ ...collectionRecord, reference })));
};

async function start(path: string): Promise<{ server: Server; baseUrl: string }> {
  const server = createServer(certificate(path), (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      counts.requests += 1;
      answer(request, response, (JSON.parse(body) as { reference: string }).reference);
    });
  });
  server.on('secureConnection', () => (counts.connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1` };
}

async function callAt(baseUrl: string, references: readonly string[]): Promise<unknown[]> {
  const merchant = await startMerchant({ baseUrl, timeoutMs: 2_000 });
  const ends: unknown[] = [];
  for (const reference of references) {
    ends.push(
      await merchant.collections.mobileMoney({ ...collectionRequest, reference }).then(
        ({ lastResponse }) => ({ ok: true, phases: lastResponse.attempts.map(({ phase }) => phase) }),
        (error: unknown) =>
          isPaymentsError(error)
            ? {
                error: error.name,
                mayHaveBeenProcessed: error.mayHaveBeenProcessed,
                phases: error.attempts?.map(({ phase }) => phase),
              }
            : { error: 'foreign' },
      ),
    );
  }
  await merchant.close();
  return ends;
}

const trusted = await start(join(TLS, 'loopback'));
const stranger = await start(join(TLS, 'stranger'));
const sequential = await callAt(
  trusted.baseUrl,
  Array.from({ length: 20 }, (_, index) => `order-${index}`),
);
const kept = { ...counts };
const untrusted = await callAt(stranger.baseUrl, ['untrusted']);
const expiredAt = process.env['EXPIRED'];
const expired = expiredAt === undefined ? undefined : await start(expiredAt);
const outdated = expired && (await callAt(expired.baseUrl, ['outdated']));
const beforeReset = counts.requests;
answer = (request) => {
  request.socket.destroy();
};
const reset = await callAt(trusted.baseUrl, ['reset']);
process.stdout.write(
  JSON.stringify({
    sequential,
    kept,
    untrusted,
    outdated,
    sentToStranger: beforeReset - kept.requests,
    reset,
  }),
);
trusted.server.close();
stranger.server.close();
expired?.server.close();
