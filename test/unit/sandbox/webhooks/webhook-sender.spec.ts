import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { certificateCheck, type SystemLookup } from '../../../../lib/sandbox/webhooks/certificate-check.js';
import { type SendResult, WebhookSender } from '../../../../lib/sandbox/webhooks/webhook-sender.js';

const REMOTE = { address: '192.0.2.1', family: 4 };
const OWN = { address: '127.0.0.1', family: 4 };

/** A system in which every name has these addresses. */
const resolvingTo =
  (...addresses: { readonly address: string; readonly family: number }[]): SystemLookup =>
  (_name, _options, callback) => {
    callback(null, addresses);
  };

describe('a webhook over HTTPS to a receiver with a self-signed certificate', () => {
  let server: Server;
  let received: number;

  beforeEach(async () => {
    received = 0;
    const of = (kind: string): Buffer => readFileSync(`test/support/tls/stranger.${kind}.pem`);
    server = createServer({ key: of('key'), cert: of('cert') }, (_request, response) => {
      received += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await new Promise((resolve) => server.close(resolve));
  });

  function sentTo(host: string, lookup?: SystemLookup): Promise<SendResult> {
    const url = new URL(`https://${host}:${(server.address() as AddressInfo).port}/hook`);
    return new WebhookSender(10_000, lookup).send('demo', url, {}, Buffer.from('{}'));
  }

  it.each(['127.0.0.1', 'localhost'])('arrives at %s', async (host) => {
    expect(await sentTo(host)).toMatchObject({ status: 200 });
  });

  it.each(['1', '0'])(
    'does not arrive at another machine, with NODE_TLS_REJECT_UNAUTHORIZED=%s',
    async (value) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value);
      expect(await sentTo('shop.example', resolvingTo(OWN))).toEqual({ problem: 'self-signed certificate' });
      expect(received).toBe(0);
    },
  );

  it('does not leave the machine if localhost is another one', async () => {
    expect(await sentTo('localhost', resolvingTo(REMOTE))).toEqual({
      problem: 'localhost has no loopback address on this machine',
    });
  });

  it('goes to the loopback address of localhost if it has another address too', async () => {
    expect(await sentTo('localhost', resolvingTo(REMOTE, OWN))).toMatchObject({ status: 200 });
  });

  it('gives the reason if localhost has no address', async () => {
    const failing: SystemLookup = (_name, _options, callback) => {
      callback(new Error('no such name'), undefined);
    };
    expect(await sentTo('localhost', failing)).toEqual({ problem: 'no such name' });
  });
});

describe('the certificate of a receiver', () => {
  const isChecked = (host: string): unknown =>
    certificateCheck(new URL(`https://${host}/`)).rejectUnauthorized;

  it.each(['127.0.0.1', '127.8.9.10', '0x7f.1', '[::1]', 'localhost', 'LOCALHOST'])(
    'is not checked at %s',
    (host) => {
      expect(isChecked(host)).toBe(false);
    },
  );

  it.each([
    '10.0.0.7',
    '128.0.0.1',
    '0.0.0.0',
    '[::]',
    '[::2]',
    '[::ffff:127.0.0.1]',
    'shop.example',
    'localhost.',
    'localhost.shop.example',
    '127.0.0.1.shop.example',
    'a.localhost',
  ])('is checked at %s', (host) => {
    expect(isChecked(host)).toBe(true);
  });

  it.each([
    [{}, '127.0.0.1', 4],
    [{ all: true }, [OWN], undefined],
  ])(
    'belongs to an address of this machine, which a connection asks for with %j',
    (options, address, family) => {
      const { lookup } = certificateCheck(new URL('https://localhost/'), resolvingTo(REMOTE, OWN));
      const heard = vi.fn();
      lookup?.('localhost', options, heard);
      expect(heard.mock.calls[0]?.slice(0, 3)).toEqual(family ? [null, address, family] : [null, address]);
    },
  );
});
