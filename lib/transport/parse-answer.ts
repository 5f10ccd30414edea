/** What a body of an answer is, before the HTTP status is looked at. */
export type ParsedAnswer =
  | {
      readonly shape: 'success';
      readonly envelope: SuccessEnvelope;
      /** The JSON that was read. */
      readonly text: string;
    }
  | { readonly shape: 'error'; readonly error: GatewayErrorBody }
  /** JSON that was cut or garbled: a code may be hidden in it. */
  | { readonly shape: 'malformed' }
  /** Nothing, HTML or other text: no code can be hidden in it. */
  | { readonly shape: 'not-json' };

/** The envelope of a success (specification, "Response envelope"). */
export interface SuccessEnvelope {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  /** Undefined or null where the answer had none. */
  readonly data: unknown;
}

/** What error shapes A, B, C and a bare `{ message }` have in common (specification, "Errors"). */
export interface GatewayErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
  /** Messages by field (shape C); empty in the other shapes. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** Reads the text of an answer. Never throws. */
export function parseAnswer(text: string): ParsedAnswer {
  const trimmed = text.trim();
  if (!/^[{["\d\-tfn]/.test(trimmed)) return { shape: 'not-json' };
  let body: unknown;
  try {
    body = JSON.parse(trimmed);
  } catch {
    return { shape: /^[{[]/.test(trimmed) ? 'malformed' : 'not-json' };
  }
  return isRecord(body) ? parseRecord(body, trimmed) : { shape: 'malformed' };
}

function parseRecord(body: Readonly<Record<string, unknown>>, text: string): ParsedAnswer {
  const code = textField(body, 'code');
  const message = textField(body, 'message');
  const requestId = textField(body, 'request_id');
  if (body['status'] === 'success' && body['success'] !== false) {
    const envelope = { code: code ?? '', message: message ?? '', data: body['data'] };
    return { shape: 'success', envelope: requestId ? { requestId, ...envelope } : envelope, text };
  }
  return {
    shape: 'error',
    error: {
      errors: fieldErrors(body['errors']),
      ...(code && { code }),
      ...(message && { message }),
      ...(requestId && { requestId }),
    },
  };
}

function fieldErrors(value: unknown): Record<string, readonly string[]> {
  if (!isRecord(value)) return {};
  const fields = Object.entries(value).map(([field, messages]): [string, string[]] => [
    field,
    (Array.isArray(messages) ? messages : [messages]).filter((message) => typeof message === 'string'),
  ]);
  return Object.fromEntries(fields);
}

function textField(body: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const value = body[field];
  return typeof value === 'string' ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
