import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { SECRET } from './deliveries.mjs';

/** node:http, the signature and the JSON, and nothing else. */
export async function start() {
  const counts = { handled: 0, logged: 0 };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const expected = createHmac('sha256', SECRET).update(body).digest();
      const shown = Buffer.from(request.headers['x-webhook-signature'], 'hex');
      response.statusCode = timingSafeEqual(expected, shown) ? 200 : 401;
      if (response.statusCode === 200 && JSON.parse(body.toString()).event) counts.handled += 1;
      response.end();
    });
  });
  server.keepAliveTimeout = 600_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, counts };
}
