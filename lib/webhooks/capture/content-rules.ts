import { type IncomingHttpHeaders } from 'node:http';

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;
const CHARSET = /^charset="?utf-?8"?$/;

/**
 * Whether a body may be read as UTF-8 JSON without changing a byte of it: not compressed, no other charset, a JSON
 * content type or none.
 */
export function isReadableContent(headers: IncomingHttpHeaders): boolean {
  // Nearly every delivery: nothing to take apart.
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined)
    return true;
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') return false;
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (type !== '' && !JSON_TYPE.test(type)) return false;
  return parameters.every((parameter) => !parameter.startsWith('charset') || CHARSET.test(parameter));
}
