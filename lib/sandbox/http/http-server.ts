import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/**
 * Resolves to a server that listens.
 *
 * @throws PaymentsConfigError if the port is taken or forbidden.
 */
export function listen(handler: RequestListener, port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ keepAliveTimeout: 60_000 }, handler);
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(listenError(error, port, host));
    });
    server.listen(port, host, () => {
      resolve(server);
    });
  });
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Closes every connection and frees the port. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const choose = 'Choose another with `port` (`--port` on the command line); 0 takes any free one.';
  if (error.code === 'EADDRINUSE') {
    return new PaymentsConfigError(
      `Port ${port} on ${host} is taken: something else listens there. ${choose}`,
    );
  }
  return new PaymentsConfigError(
    `The sandbox cannot listen on port ${port} of ${host} (${error.code ?? error.message}). ${choose}`,
  );
}
