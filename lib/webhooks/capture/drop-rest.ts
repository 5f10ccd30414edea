import { type IncomingMessage, type ServerResponse } from 'node:http';
import { finished, type Readable } from 'node:stream';

/** What a sender may still send after it was refused. */
const MOST_BYTES = 4 * 1_048_576;
const LONGEST_MS = 5_000;

/**
 * Throws away what is left of a refused body once the answer is written, and closes the connection where it does not
 * end. Closing at once would reset the connection of a sender that is still writing, and cost it the answer.
 */
export function dropRest(request: IncomingMessage, response: ServerResponse, stream: Readable): void {
  const { socket } = request;
  const isLast = !response.shouldKeepAlive;
  // Otherwise Node closes with the answer, as the sender asked, whatever it is still writing.
  response.shouldKeepAlive = true;
  response.once('finish', () => {
    const close = (): void => void socket.destroy();
    const timer = setTimeout(close, LONGEST_MS).unref();
    let left = MOST_BYTES;
    stream.on('data', (chunk: Uint8Array | string) => {
      left -= chunk.length;
      if (left < 0) close();
    });
    finished(stream, () => {
      clearTimeout(timer);
      if (isLast) socket.end();
    });
    stream.resume();
  });
}
