// Sends webhooks over raw sockets, a few at once, each one another payment.
import { once } from 'node:events';
import { connect } from 'node:net';
import { delivery, PATH } from '../webhooks/deliveries.mjs';

const CONNECTIONS = 20;
const run = Date.now().toString(36);

export default async function open({ port, form }) {
  let made = 0;
  return {
    /** Resolves to how often each status was answered. */
    async send(times, forged) {
      const requests = Array.from({ length: times }, () =>
        requestOf(delivery(form, `bench-${run}-${(made += 1)}`, forged)),
      );
      const statuses = {};
      await Promise.all(Array.from({ length: CONNECTIONS }, () => worker(port, requests, statuses)));
      return statuses;
    },
  };
}

function requestOf({ body, headers }) {
  const lines = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST ${PATH} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

async function worker(port, requests, statuses) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let received = '';
  await new Promise((resolve, reject) => {
    const next = () => {
      const request = requests.pop();
      if (request) socket.write(request);
      else resolve();
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`The receiver hung up: ${received.slice(0, 200)}`)));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!isComplete(received)) return;
      const status = received.slice(9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      received = '';
      next();
    });
    next();
  });
  socket.removeAllListeners('close').destroy();
}

function isComplete(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end));
  return length ? text.length >= end + 4 + Number(length[1]) : text.endsWith('\r\n0\r\n\r\n');
}
