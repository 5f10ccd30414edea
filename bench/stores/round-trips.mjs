import { connect, createServer } from 'node:net';

/**
 * Counts, on the wire, how often somebody writes to a server after it answered.
 *
 * @param open Connects by the address of the wire-tap; gives the work.
 */
export async function countRoundTrips(url, times, open) {
  const { hostname, port } = new URL(url);
  let turns = 0;
  let answered = true;
  const tap = createServer((socket) => {
    const server = connect({ host: hostname, port: Number(port) });
    for (const end of [socket, server])
      end.on('error', () => [socket, server].forEach((each) => each.destroy()));
    socket.on('data', () => {
      if (answered) turns += 1;
      answered = false;
    });
    server.on('data', () => (answered = true));
    socket.pipe(server).pipe(socket);
  });
  await new Promise((resolve) => tap.listen(0, '127.0.0.1', resolve));
  const tapped = new URL(url);
  tapped.hostname = '127.0.0.1';
  tapped.port = tap.address().port;
  const { work, close } = await open(tapped.href);
  turns = 0;
  for (let index = 0; index < times; index += 1) await work();
  const counted = turns / times;
  await close();
  tap.close();
  return counted;
}
