/**
 * What a browser may do with the shop's pages.
 *
 * @param framedBy The origin of the one page that may show the shop in a frame; nobody if it is missing or empty.
 */
export function pageHeaders(framedBy?: string): Readonly<Record<string, string>> {
  // Only an origin reaches the policy: a text with a semicolon would add directives.
  const ancestors = framedBy ? new URL(framedBy).origin : "'none'";
  return {
    'Content-Security-Policy': `default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors ${ancestors}`,
    // Anyone with the address of an order's page can read it.
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}
