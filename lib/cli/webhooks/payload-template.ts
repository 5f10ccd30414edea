import { type SignedPart } from '../../webhooks/signature/hmac-options.js';
import { UsageError } from '../usage-error.js';

const NAMED = ['body', 'timestamp', 'id', 'method', 'url'] as const;

/**
 * The payload template, in the form used on a command line: text with parts in braces
 * (`v0:{timestamp}:{body}`), or names between commas (`timestamp,body`). In braces, any other name is a
 * header.
 *
 * @throws UsageError if a brace is left open, or a part has no name.
 */
export function payloadParts(template: string): SignedPart[] {
  const text = template.includes('{')
    ? template
    : template
        .split(',')
        .map((name) => `{${name.trim()}}`)
        .join('');
  const pieces = text.split(/(\{[^{}]*\})/).filter((piece) => piece !== '');
  return pieces.map((piece) => {
    if (/^\{[^{}]+\}$/.test(piece)) return partOf(piece.slice(1, -1));
    if (!/[{}]/.test(piece)) return { literal: piece };
    throw new UsageError('--payload has an empty or an open brace: write for example "{timestamp}.{body}".');
  });
}

function partOf(name: string): SignedPart {
  return NAMED.find((named) => named === name) ?? { header: name };
}
