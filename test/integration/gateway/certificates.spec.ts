import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { spawn } from 'node:child_process';
import { Agent, type AgentOptions } from 'node:https';
import { type SecureVersion } from 'node:tls';
import { type Certificate, CertificateAuthority, opensslInstalled } from '../../support/certificates.js';
import { describeSkipped } from '../../support/describe-skipped.js';
import { GatewayPlaces, NOT_SENT, OK, UNKNOWN } from '../../support/gateway-places.js';

const specs = opensslInstalled || process.env['REQUIRE_SERVICES'] === '1' ? describe : undefined;
const describeCertificates = (name: string, body: () => void): void => {
  if (specs) specs(name, body);
  else describeSkipped(name, 'the program openssl is not installed', body);
};

describeCertificates('the certificates of the way to the gateway', () => {
  const places = new GatewayPlaces();
  let authority: CertificateAuthority;
  let stranger: CertificateAuthority;
  let certificates: Record<'good' | 'expired' | 'elsewhere' | 'client' | 'strange', Certificate>;

  beforeAll(() => {
    authority = new CertificateAuthority();
    stranger = new CertificateAuthority();
    certificates = {
      good: authority.issue('good'),
      expired: authority.issue('expired', { expired: true }),
      elsewhere: authority.issue('elsewhere', { address: 'DNS:gateway.example' }),
      client: authority.issue('client'),
      strange: stranger.issue('strange'),
    };
  });
  afterAll(() => {
    authority.remove();
    stranger.remove();
  });
  afterEach(() => places.close());

  const agent = (options: AgentOptions = {}): { readonly httpsAgent: Agent } => ({
    httpsAgent: new Agent({ ca: authority.cert, ...options }),
  });
  const through = (port: number, protocol = 'http') => ({ proxy: { protocol, host: '127.0.0.1', port } });

  describe("of the gateway, seen by an application's own agent", () => {
    it.each(['directly', 'through a proxy'])('%s: only one that is right gets a payment', async (way) => {
      const proxy = way === 'directly' ? {} : through(await places.tunnel());
      const { good, expired, elsewhere, strange } = certificates;
      expect(await places.pay(await places.secured(good), { ...agent(), ...proxy })).toEqual(OK);
      expect(places.requests).toBe(1);
      for (const wrong of [expired, elsewhere, strange]) {
        expect(await places.pay(await places.secured(wrong), { ...agent(), ...proxy })).toEqual(NOT_SENT);
      }
      // The `ca` option replaces all others.
      const other = { ...agent({ ca: stranger.cert }), ...proxy };
      expect(await places.pay(await places.secured(good), other)).toEqual(NOT_SENT);
      expect(places.requests).toBe(1);
    });

    it('is unknown once the request has left, whatever the certificate', async () => {
      const broken = await places.secured(certificates.good, places.breakOff);
      expect(await places.pay(broken, agent())).toEqual(UNKNOWN);
      expect(places.requests).toBe(1);
    });
  });

  it('of the proxy: only one that is right gets a payment', async () => {
    const gateway = await places.secured(certificates.good);
    const pay = async (proxyCertificate: Certificate): Promise<readonly unknown[]> =>
      places.pay(gateway, { ...agent(), ...through(await places.tunnel(proxyCertificate), 'https') });
    expect(await pay(certificates.expired)).toEqual(NOT_SENT);
    expect(await pay(certificates.strange)).toEqual(NOT_SENT);
    expect(places.requests).toBe(0);
  });

  it.each(['407 Proxy Authentication Required', '502 Bad Gateway'])(
    'are never seen behind a proxy that answers %s: nothing was sent',
    async (refusal) => {
      const port = await places.tunnel(undefined, refusal);
      const gateway = await places.secured(certificates.good);
      expect(await places.pay(gateway, { ...agent(), ...through(port) })).toEqual(NOT_SENT);
      expect(places.requests).toBe(0);
    },
  );

  describe('of the merchant (mTLS)', () => {
    const versions: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];
    const demanding = (version: SecureVersion): object => ({
      ...certificates.good,
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: version,
      maxVersion: version,
    });

    it.each(versions)('is shown if the server asks for it, over %s', async (version) => {
      const gateway = await places.secured(demanding(version));
      expect(await places.pay(gateway, agent(certificates.client))).toEqual(OK);
    });

    // The request is on its way when the server looks at the certificate: nobody can tell the end of the connection from a lost answer.
    it('makes the outcome unknown if Node refuses it after the handshake, over TLSv1.3', async () => {
      const gateway = await places.secured(demanding('TLSv1.3'));
      for (const options of [{}, certificates.strange]) {
        expect(await places.pay(gateway, agent(options))).toEqual(UNKNOWN);
      }
      expect(places.requests).toBe(0);
    });

    it.each<[SecureVersion, readonly unknown[]]>([
      ['TLSv1.2', NOT_SENT],
      // The client's part of the handshake is over, and the request leaves, before the server looks at the certificate.
      ['TLSv1.3', UNKNOWN],
    ])('is reported correctly if a server refuses it in the handshake, over %s', async (version, end) => {
      const gateway = `https://127.0.0.1:${await strictServer(version)}/api/v1`;
      for (const options of [{}, certificates.strange]) {
        expect(await places.pay(gateway, agent(options))).toEqual(end);
      }
    });

    /** A server that sends its refusal as an alert, as most load balancers do. */
    const strictServer = async (version: SecureVersion): Promise<number> => {
      const server = spawn('openssl', [
        ...['s_server', '-accept', '127.0.0.1:0', version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3'],
        ...['-cert', `${authority.pathOf('good')}.cert.pem`, '-key', `${authority.pathOf('good')}.key.pem`],
        ...['-CAfile', authority.certPath, '-Verify', '1', '-verify_return_error', '-naccept', '20'],
      ]);
      places.defer(() => server.kill());
      return new Promise((resolve, reject) => {
        let said = '';
        const listen = (chunk: Buffer): void => {
          said += chunk.toString();
          const port = /ACCEPT .*:(\d+)/.exec(said)?.[1];
          if (port !== undefined) resolve(Number(port));
        };
        server.stdout.on('data', listen);
        server.stderr.on('data', listen);
        server.once('exit', () => {
          reject(new Error(said));
        });
      });
    };
  });
});
