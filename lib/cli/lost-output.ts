import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';

/** What a pipe says whose reader has closed it, on each system. `| head` does so, and it is no failure. */
const READER_IS_GONE: readonly unknown[] = ['EPIPE', 'ECONNRESET', 'EOF'];
const FAILED = 1;

/**
 * Makes the process fail if stdout takes no more, for example on a full disk: a report that was cut must not pass for a
 * whole one. A reader that closes a pipe early ends nothing and changes no exit code. Nor does a stderr that takes no
 * more: no result goes there.
 */
export function failOnLostOutput(child: NodeJS.Process): void {
  const { stdout, stderr } = child;
  // Node.js has a socket for a pipe and for a terminal, and another stream for a file.
  if (!((stdout as unknown) instanceof Socket)) stdout._write = writeWhole(stdout.fd);
  let isFirst = true;
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // What is written later fails too, and not always with the same code.
    if (isFirst && !READER_IS_GONE.includes(code)) fail(child, String(code));
    isFirst = false;
  });
  stderr.on('error', () => undefined);
}

function fail(child: NodeJS.Process, code: string): void {
  child.stderr.write(`The output is not whole: it could not be written (${code}).\n`);
  // At the end, because the command sets its own code before.
  child.once('exit', () => {
    child.exitCode ||= FAILED;
  });
}

/** The stream of Node.js makes one system call a text. If only a part of it fits, it reports no error. */
function writeWhole(file: number): NodeJS.WriteStream['_write'] {
  return (chunk: Uint8Array, _encoding, done) => {
    try {
      writeFileSync(file, chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}
