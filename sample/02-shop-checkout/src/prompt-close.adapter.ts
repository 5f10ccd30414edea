import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';

/** Longer than `deadlineMs` (60 s) and `handlerTimeoutMs` (25 s): what still runs then has its answer in no case. */
const GRACE_MS = 65_000;

/**
 * Closes the server as soon as the running requests have their answers. Node itself waits for connections without a
 * request, which a browser opens ahead and keeps for a minute, and for answered ones until their keep-alive ends. Nest's
 * `forceCloseConnections` waits for nothing: a customer who has just pressed Pay would get no answer. Whoever never sends the
 * rest of a request holds the stop open for the grace period, and no longer.
 */
export class PromptCloseAdapter extends ExpressAdapter {
  private readonly sockets = new Set<Socket>();
  private isClosing = false;

  override initHttpServer(options: NestApplicationOptions): void {
    super.initHttpServer(options);
    this.httpServer.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.httpServer.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      response.once('close', () => {
        if (this.isClosing) socket.end();
      });
    });
  }

  override close() {
    this.isClosing = true;
    const closed = super.close();
    const graceEnds = setTimeout(() => {
      this.httpServer.closeAllConnections();
    }, GRACE_MS);
    this.httpServer.once('close', () => {
      clearTimeout(graceEnds);
    });
    for (const socket of this.sockets) {
      if (socket.bytesRead === 0) socket.destroy();
    }
    return closed;
  }
}
