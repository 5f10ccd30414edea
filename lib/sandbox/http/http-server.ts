import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/**
 * Resolves to a server that listens, and that has no listener of requests yet. None comes before the caller adds it:
 * sockets are read in a later turn.
 *
 * @throws PaymentsConfigError if the port is taken or forbidden.
 */
export async function listen(port: number, host: string): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 60_000 }).listen(port, host);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, port, host);
  }
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Lets the process end although the server listens and connections to it are open. Call it before any is. */
export function unref(server: Server): void {
  server.unref();
  server.on('connection', (socket) => {
    socket.unref();
  });
}

/** Closes every connection and frees the port. */
export async function close(server: Server): Promise<void> {
  const closed = once(server.close(), 'close');
  server.closeAllConnections();
  await closed;
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const choose = 'Choose another with `port` (`--port` on the command line); 0 takes any free one.';
  const problem =
    error.code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is taken: something else listens there.`
      : `The sandbox cannot listen on port ${port} of ${host} (${error.code ?? error.message}).`;
  return new PaymentsConfigError(`${problem} ${choose}`);
}
