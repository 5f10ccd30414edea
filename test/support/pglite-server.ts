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

/** PGlite takes whole messages alone, and a long one comes in pieces. */
function serve(database: PGlite, socket: Socket): void {
  let answered = Promise.resolve();
  let pieces: Buffer[] = [];
  // The first message has no letter before its length.
  let lengthAt = 0;
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    let end = 0;
    const isWhole = (): boolean =>
      bytes.length >= end + lengthAt + 4 &&
      bytes.length >= end + lengthAt + bytes.readUInt32BE(end + lengthAt);
    while (isWhole()) {
      end += lengthAt + bytes.readUInt32BE(end + lengthAt);
      lengthAt = 1;
    }
    pieces = [bytes.subarray(end)];
    if (end === 0) return;
    answered = answered.then(async () => {
      socket.write(await database.execProtocolRaw(bytes.subarray(0, end)));
    });
  });
}
