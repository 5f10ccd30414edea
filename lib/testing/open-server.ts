import { type INestApplication } from '@nestjs/common';
import { once } from 'node:events';
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

const EVERYWHERE = ['0.0.0.0', '::'];

/** The address at which this machine reaches its own server on `address`. */
export function reachable(address: string): string {
  return EVERYWHERE.includes(address) ? '127.0.0.1' : address;
}

interface Opening {
  readonly address: Promise<AddressInfo>;
  users: number;
}

/** Simultaneous deliveries share one opening: the first opens the server, the last one closes it. */
const openings = new WeakMap<INestApplication, Opening>();

/**
 * Runs a function while the application listens. Opens a free port for it if the application does not listen
 * yet.
 */
export async function whileListening<Result>(
  app: INestApplication,
  work: (address: AddressInfo) => Promise<Result>,
): Promise<Result> {
  const server = app.getHttpServer() as Server;
  const own = openings.get(app);
  if (!own && server.listening) return work(server.address() as AddressInfo);
  const opening = own ?? { address: open(app, server), users: 0 };
  openings.set(app, opening);
  opening.users += 1;
  try {
    return await work(await opening.address);
  } finally {
    opening.users -= 1;
    if (opening.users === 0) {
      openings.delete(app);
      await once(server.close(), 'close');
    }
  }
}

async function open(app: INestApplication, server: Server): Promise<AddressInfo> {
  await app.init();
  const adapter = app.getHttpAdapter();
  if (adapter.getType() === 'fastify') {
    await (adapter.getInstance() as { ready(): PromiseLike<unknown> }).ready();
  }
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address() as AddressInfo;
}
