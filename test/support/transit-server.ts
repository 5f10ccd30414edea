import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type KeyManagementService } from 'nestjs-payments';
import { vaultTransit } from './vault-transit.js';

/** What the service does with every call. */
type Mode = 'up' | 'cut-off' | 'silent' | 'denied';

interface Answer {
  readonly status: number;
  readonly body: object;
}

const failed = (status: number, ...errors: readonly string[]): Answer => ({ status, body: { errors } });

/** A key management service on a local port that answers as the Transit engine of Vault does. */
export class TransitServer {
  readonly calls = { wrap: 0, unwrap: 0 };
  mode: Mode = 'up';
  private readonly keys = new Map<string, Buffer[]>();
  private readonly server: Server;
  private readonly onCall = new Set<() => void>();

  private constructor() {
    this.server = createServer((request, response) => void this.receive(request, response));
  }

  static async start(...keys: readonly string[]): Promise<TransitServer> {
    const server = new TransitServer();
    for (const key of keys) server.rotate(key);
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** A client of its own, as a process has one. */
  client(): KeyManagementService {
    return vaultTransit(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}`, 'a-token');
  }

  /** Makes the next version of a key; the earlier ones still open. */
  rotate(key: string): void {
    this.keys.set(key, [...(this.keys.get(key) ?? []), randomBytes(32)]);
  }

  /** Gives the function that brings the key back. */
  destroy(key: string): () => void {
    const versions = this.keys.get(key) ?? [];
    this.keys.delete(key);
    return () => void this.keys.set(key, versions);
  }

  /** Resolves at the next call. */
  called(): Promise<void> {
    return new Promise((resolve) => {
      const heard = (): void => {
        this.onCall.delete(heard);
        resolve();
      };
      this.onCall.add(heard);
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    const [, verb, key = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/(.+)$/.exec(request.url ?? '') ?? [];
    this.calls[verb === 'encrypt' ? 'wrap' : 'unwrap'] += 1;
    for (const heard of this.onCall) heard();
    if (this.mode === 'cut-off') return void request.socket.destroy();
    if (this.mode === 'silent') return;
    const answer = this.mode === 'denied' ? failed(403, 'permission denied') : this.answer(verb, key, body);
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body));
  }

  private answer(verb: string | undefined, key: string, body: Record<string, string>): Answer {
    const versions = this.keys.get(key);
    if (!versions) return failed(400, 'encryption key not found');
    const bound = Buffer.from(body['associated_data'] ?? '', 'base64');
    if (verb === 'encrypt') {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', versions.at(-1)!, nonce).setAAD(bound);
      const text = [
        nonce,
        cipher.update(body['plaintext'] ?? '', 'base64'),
        cipher.final(),
        cipher.getAuthTag(),
      ];
      const ciphertext = `vault:v${versions.length}:${Buffer.concat(text).toString('base64')}`;
      return { status: 200, body: { data: { ciphertext } } };
    }
    const [, version, text = ''] = /^vault:v(\d+):(.+)$/.exec(body['ciphertext'] ?? '') ?? [];
    const used = versions[Number(version) - 1];
    if (!used) return failed(400, 'invalid ciphertext: no prefix');
    const bytes = Buffer.from(text, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', used, bytes.subarray(0, 12)).setAAD(bound);
      decipher.setAuthTag(bytes.subarray(-16));
      const plaintext = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
      return { status: 200, body: { data: { plaintext: plaintext.toString('base64') } } };
    } catch {
      return failed(400, 'invalid ciphertext: unable to decrypt');
    }
  }
}
