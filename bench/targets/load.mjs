// Sends webhooks over raw sockets, so many at once, each one another payment.
import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { latencies, TIME_OUT } from '../throughput/under-load.mjs';
import { delivery, PATH } from '../webhooks/deliveries.mjs';

const CONNECTIONS = 20;
/** Much longer than the package lets a delivery wait. */
const PATIENCE_MS = 30_000;
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
      const sockets = await connected([port], CONNECTIONS);
      const heard = ({ status }) => (statuses[status] = (statuses[status] ?? 0) + 1);
      await Promise.all(sockets.map((socket) => worker(socket, requests, heard)));
      return statuses;
    },
    /**
     * Sends webhooks of given payments over so many connections for each port, which are open before the clock starts.
     *
     * @returns Milliseconds that all took, latencies of the answers 2xx, and how often another answer came.
     */
    async throughput(ports, references, connections) {
      const requests = references.map((reference) => requestOf(delivery(form, reference, false)));
      const sockets = await connected(ports, connections);
      const tookMs = [];
      const failures = {};
      const heard = ({ status, retryAfter, took }) => {
        if (status.startsWith('2')) tookMs.push(took);
        else {
          const kind = took >= PATIENCE_MS ? TIME_OUT : `${status}${retryAfter ? ' with Retry-After' : ''}`;
          failures[kind] = (failures[kind] ?? 0) + 1;
        }
      };
      const startedAt = performance.now();
      await Promise.all(sockets.map((socket) => worker(socket, requests, heard)));
      return { done: tookMs.length, ...latencies(tookMs), allMs: performance.now() - startedAt, failures };
    },
  };
}

function connected(ports, connections) {
  return Promise.all(
    ports.flatMap((port) =>
      Array.from({ length: connections }, async () => {
        const socket = connect({ port, host: '127.0.0.1', noDelay: true });
        await once(socket, 'connect');
        return socket;
      }),
    ),
  );
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

/** @param heard Gets the status of each answer, whether it has `Retry-After`, and how long it took. */
async function worker(socket, requests, heard) {
  let received = '';
  let sentAt = 0;
  await new Promise((resolve, reject) => {
    const next = () => {
      const request = requests.pop();
      if (!request) return resolve();
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`The receiver hung up: ${received.slice(0, 200)}`)));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!isComplete(received)) return;
      heard({
        status: received.slice(9, 12),
        retryAfter: /\r\nretry-after:/i.test(received),
        took: performance.now() - sentAt,
      });
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
