/* global crypto */
/** Not `randomUUID`: browsers offer it only on this machine and under TLS. */
export function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
