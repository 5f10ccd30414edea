import { type BodyHeaders, type TransportAnswer } from './http-transport.js';

/** The headers of an answer that mean something to the package. */
export interface AnswerHeaders extends BodyHeaders {
  readonly retryAfter?: string | undefined;
}

/** Everything that the package reads of an answer. */
export interface ReadAnswer {
  readonly httpStatus: number;
  readonly text: string;
  readonly headers: AnswerHeaders;
}

export function readAnswer({ status, headers, data }: TransportAnswer): ReadAnswer {
  return {
    httpStatus: status,
    text: textOf(data),
    headers: {
      retryAfter: headerOf(headers, 'retry-after', 'Retry-After'),
      contentType: headerOf(headers, 'content-type', 'Content-Type'),
      contentEncoding: headerOf(headers, 'content-encoding', 'Content-Encoding'),
    },
  };
}

/** Whether an answer is the seen one. An interceptor may have parsed its body, and changed headers that nobody reads. */
export function isSameAnswer(answer: TransportAnswer, seen: ReadAnswer): boolean {
  const { httpStatus, text, headers } = readAnswer(answer);
  const isSameText = text === seen.text || (typeof answer.data !== 'string' && text === reprinted(seen.text));
  return (
    isSameText &&
    httpStatus === seen.httpStatus &&
    headers.retryAfter === seen.headers.retryAfter &&
    headers.contentType === seen.headers.contentType &&
    headers.contentEncoding === seen.headers.contentEncoding
  );
}

/** JSON as it is written once it was parsed. */
function reprinted(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Interceptors and test adapters may hand over parsed data. */
function textOf(data: unknown): string {
  if (typeof data === 'string') return data;
  return data === undefined || data === null ? '' : JSON.stringify(data);
}

/** A header that came twice is one list, as on the wire; test adapters write names as people do. */
function headerOf(headers: TransportAnswer['headers'], name: string, written: string): string | undefined {
  const value = headers[name] ?? headers[written];
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : undefined;
}
