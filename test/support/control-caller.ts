import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { checkControlAnswer } from './control-contract.js';

/** An answer of the control API that agreed with its document. */
export interface ControlAnswer<Body = unknown> {
  readonly status: number;
  readonly body: Body;
}

/** An error of the control API. */
export interface ControlErrorBody {
  readonly error: { readonly code: string; readonly message: string };
}

/** Calls the control API as a test in another language would; each answer is held against `control.yaml`. */
export function controlOf(sandbox: PaymentsSandbox) {
  const call = async <Body>(method: string, path: string, body?: unknown): Promise<ControlAnswer<Body>> => {
    const response = await fetch(`${sandbox.url}/_sandbox/v1${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const answer: unknown = type === 'application/json' ? await response.json() : await response.text();
    checkControlAnswer(method, path, response.status, answer, type);
    return { status: response.status, body: answer as Body };
  };
  return {
    get: <Body>(path: string) => call<Body>('GET', path),
    post: <Body>(path: string, body: unknown = {}) => call<Body>('POST', path, body),
    put: <Body>(path: string, body: unknown) => call<Body>('PUT', path, body),
    patch: <Body>(path: string, body: unknown) => call<Body>('PATCH', path, body),
    remove: <Body>(path: string) => call<Body>('DELETE', path),
  };
}
