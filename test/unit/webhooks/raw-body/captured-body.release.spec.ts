import { expect, it } from 'vitest';
import { once } from 'node:events';
import { connect, createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { type AddressInfo } from 'node:net';
import { type ServerResponse } from 'node:http';
import { releaseAtEnd } from '../../../../lib/webhooks/raw-body/captured-body.js';

it.each(['before', 'after'])(
  'what a request over HTTP/2 holds is released once, if the client cuts it off %s it is held',
  async (when) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      const stream = session.request({ ':method': 'POST', ':path': '/' });
      stream.on('error', () => undefined).write('x');
      const [, response] = (await once(server, 'request')) as [Http2ServerRequest, Http2ServerResponse];
      let released = 0;
      const hold = (): void => {
        releaseAtEnd(response as unknown as ServerResponse, { release: () => (released += 1) });
      };
      if (when === 'after') hold();
      const closed = once(response, 'close');
      stream.close(8);
      await closed;
      if (when === 'before') hold();
      expect(released).toBe(1);
    } finally {
      session.destroy();
      server.close();
    }
  },
);
