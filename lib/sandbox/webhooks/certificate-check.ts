import { type LookupAddress, lookup as lookupInSystem, type LookupOptions } from 'node:dns';
import { type RequestOptions } from 'node:https';
import { type LookupFunction } from 'node:net';
import { isLoopbackAddress, isLoopbackHost } from '../http/loopback.js';

/** How the system finds all addresses of a host name; it gives none beside an error. */
export type SystemLookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[] | undefined) => void,
) => void;

/**
 * The options of an HTTPS request that decide about the receiver's certificate. An application on this machine may have any,
 * because nobody issues one for a loopback address. Every other receiver must have a valid one: the options say so even
 * against `NODE_TLS_REJECT_UNAUTHORIZED=0`.
 */
export function certificateCheck(
  { hostname }: URL,
  lookup: SystemLookup = lookupInSystem,
): Pick<RequestOptions, 'rejectUnauthorized' | 'lookup'> {
  const isOwn = isLoopbackHost(hostname);
  return { rejectUnauthorized: !isOwn, lookup: addressesOf(lookup, isOwn) };
}

/** A connection without a check of its certificate must not leave the machine, whatever `localhost` means here. */
function addressesOf(lookup: SystemLookup, isOwn: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const allowed = isOwn ? found?.filter(({ address }) => isLoopbackAddress(address)) : found;
      const [first] = allowed ?? [];
      const problem =
        error ?? (first ? null : new Error(`${hostname} has no loopback address on this machine`));
      if (options.all) callback(problem, allowed ?? []);
      else callback(problem, first?.address ?? '', first?.family);
    });
  };
}
