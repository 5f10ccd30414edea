import { PGlite } from '@electric-sql/pglite';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import './pglite-template.js';

/** PostgreSQL inside this process, behind a socket that `pg` connects to. It serves one connection at a time. */
export interface PgliteServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startPglite(): Promise<PgliteServer> {
  const database = await PGlite.create();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(database, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
      await database.close();
    },
  };
}

function serve(database: PGlite, socket: Socket): void {
  let answered = Promise.resolve();
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    answered = answered.then(async () => {
      socket.write(await database.execProtocolRaw(bytes));
    });
  });
}
