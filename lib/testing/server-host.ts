const EVERYWHERE = ['0.0.0.0', '::'];

/** The address at which this machine reaches its own server on `address`. */
export function reachable(address: string): string {
  return EVERYWHERE.includes(address) ? '127.0.0.1' : address;
}
