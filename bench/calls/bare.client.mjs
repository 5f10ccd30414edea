import http from 'node:http';
import https from 'node:https';
import { checkAnswer, HEADERS, MIXES } from './request.mjs';

/** Node's own client with kept connections. */
export function start({ baseUrl, mix = 'collections' }) {
  const { path, wireBody } = MIXES[mix];
  const { protocol, hostname, port } = new URL(baseUrl);
  const client = protocol === 'https:' ? https : http;
  const agent = new client.Agent({ keepAlive: true, maxSockets: 50 });
  const send = (reference) =>
    new Promise((resolve, reject) => {
      const body = wireBody(reference);
      const headers = { ...HEADERS, 'Idempotency-Key': reference, 'Content-Length': Buffer.byteLength(body) };
      const request = client.request({ hostname, port, path, method: 'POST', agent, headers });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      });
      request.end(body);
    });
  return async (reference) => checkAnswer(JSON.parse(await send(reference)), reference);
}
