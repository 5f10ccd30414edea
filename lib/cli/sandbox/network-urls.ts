import { type NetworkInterfaceInfo } from 'node:os';
import { isWildcard } from '../../sandbox/http/loopback.js';

type Interfaces = NodeJS.Dict<readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[]>;

/**
 * The URLs under which other machines reach a server that listens on every address. IPv6 addresses of a link are
 * left out: they need a zone, which no browser takes.
 */
export function networkUrls(host: string, port: string, interfaces: Interfaces): readonly string[] {
  if (!isWildcard(host)) return [];
  return Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => `http://${address}:${port}`);
}
