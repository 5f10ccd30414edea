import { shellWord } from '../shell-word.js';
import { type FoundSignature } from './signature-search.js';

/** Sentences that describe how a delivery's signature was made and what to do. */
export function signatureHints(found: FoundSignature): readonly string[] {
  return [
    ...(found.bodyChange === undefined ? [] : [`The signature is that of the body ${found.bodyChange}.`]),
    ...impossible(found),
    `It is made as these options say: ${optionsOf(found).join(' ')}`,
  ];
}

function impossible(found: FoundSignature): readonly string[] {
  return [
    ...(found.algorithm === 'sha1' ? ['It is made with SHA-1, which the package does not take.'] : []),
    ...(found.encoding === 'HEX' && isStripeStyle(found)
      ? ['It is in upper-case hexadecimal; stripeStyle() takes lower case only.']
      : []),
  ];
}

function optionsOf(found: FoundSignature): readonly string[] {
  if (isStandardWebhooks(found)) return ['--scheme standard-webhooks'];
  if (isStripeStyle(found)) return ['--scheme stripe', `--header ${found.header}`];
  const { header, before, algorithm, encoding, secret, payload } = found;
  const { timestampHeader, timestampUnit = 's', idHeader } = found;
  return [
    `--header ${header}`,
    `--algorithm ${algorithm}`,
    `--encoding ${encoding.toLowerCase()}`,
    ...(before === '' ? [] : [`--prefix ${shellWord(before)}`]),
    ...(payload === '{body}' ? [] : [`--payload ${shellWord(payload)}`]),
    ...(timestampHeader === undefined ? [] : [`--timestamp-header ${timestampHeader}`]),
    ...(timestampHeader === undefined || timestampUnit === 's' ? [] : [`--timestamp-unit ${timestampUnit}`]),
    ...(idHeader === undefined ? [] : [`--id-header ${idHeader}`]),
    ...(secret === 'utf8' ? [] : [`--secret-encoding ${secret === 'hex' ? 'hex' : 'base64'}`]),
  ];
}

function isStandardWebhooks({ algorithm, encoding, payload, header }: FoundSignature): boolean {
  return (
    header === 'webhook-signature' &&
    algorithm === 'sha256' &&
    encoding === 'base64' &&
    payload === '{id}.{timestamp}.{body}'
  );
}

function isStripeStyle({ algorithm, encoding, payload, before, timestampHeader }: FoundSignature): boolean {
  return (
    algorithm === 'sha256' &&
    encoding.toLowerCase() === 'hex' &&
    payload === '{timestamp}.{body}' &&
    timestampHeader === undefined &&
    before.endsWith('v1=')
  );
}
