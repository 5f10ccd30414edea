const WHSEC = 'whsec_';

/** One way to convert the text of a secret into a key. */
export interface KeyVariant {
  readonly secret: 'utf8' | 'base64' | 'hex' | 'after whsec_ as base64';
  readonly bytes: Uint8Array;
}

/** Every conversion that the text allows, plain text first. */
export function keyVariants(secret: string): readonly KeyVariant[] {
  const variants: KeyVariant[] = [{ secret: 'utf8', bytes: Buffer.from(secret, 'utf8') }];
  if (isBase64(secret)) variants.push({ secret: 'base64', bytes: Buffer.from(secret, 'base64') });
  if (/^(?:[\da-f]{2})+$/i.test(secret)) variants.push({ secret: 'hex', bytes: Buffer.from(secret, 'hex') });
  const rest = secret.startsWith(WHSEC) ? secret.slice(WHSEC.length) : '';
  if (isBase64(rest)) variants.push({ secret: 'after whsec_ as base64', bytes: Buffer.from(rest, 'base64') });
  return variants;
}

function isBase64(text: string): boolean {
  return /^[\w+/-]+={0,2}$/.test(text);
}
