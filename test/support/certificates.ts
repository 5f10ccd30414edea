import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate with its key, as TLS servers and agents take them. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const CONFIG = `
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
`;
const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const VALID = ['-days', '2'];
const EXPIRED = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];

/** Whether the program is there. */
export const opensslInstalled = spawnSync('openssl', ['version']).status === 0;

/** An authority that issues certificates at the moment of the test, with the program `openssl`. */
export class CertificateAuthority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  readonly cert: Buffer;

  constructor() {
    writeFileSync(join(this.folder, 'openssl.cnf'), CONFIG);
    writeFileSync(join(this.folder, 'index.txt'), '');
    writeFileSync(join(this.folder, 'serial'), '01\n');
    const subject = ['-subj', '/CN=an authority', '-extensions', 'authority'];
    this.run('req', '-x509', ...EC_KEY, ...VALID, ...subject, '-keyout', 'ca.key', '-out', 'ca.cert');
    this.cert = this.read('ca.cert');
  }

  /** Where the authority's own certificate is. */
  get certPath(): string {
    return join(this.folder, 'ca.cert');
  }

  /** For a server on the loopback interface, or a client. */
  issue(name: string, { expired = false, address = 'IP:127.0.0.1' } = {}): Certificate {
    const files = ['-keyout', `${name}.key.pem`, '-out', `${name}.csr`];
    this.run(
      'req',
      '-new',
      ...EC_KEY,
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=${address}`,
      ...files,
    );
    const signing = [
      '-cert',
      'ca.cert',
      '-keyfile',
      'ca.key',
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.cert.pem`,
    ];
    this.run('ca', '-batch', '-notext', ...signing, ...(expired ? EXPIRED : VALID));
    return { cert: this.read(`${name}.cert.pem`), key: this.read(`${name}.key.pem`) };
  }

  /** Where `.cert.pem` and `.key.pem` of what was issued are. */
  pathOf(name: string): string {
    return join(this.folder, name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(command: string, ...args: readonly string[]): void {
    const all = [command, '-config', 'openssl.cnf', ...args];
    const { status, stderr } = spawnSync('openssl', all, { cwd: this.folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${command} failed: ${stderr}`);
  }

  private read(name: string): Buffer {
    return readFileSync(join(this.folder, name));
  }
}
