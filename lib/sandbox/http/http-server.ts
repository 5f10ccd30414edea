import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/**
 * Resolves to a server that listens.
 *
 * @throws PaymentsConfigError if the port is taken or forbidden.
 */
export async function listen(handler: RequestListener, port: number, host: string): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handler).listen(port, host);
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
