import { bankRecord, collectionRecord, envelope } from './gateway-answers.js';
import { json, type Behaviour, type SeenRequest } from './misbehaving-gateway.js';

const HOLDER = { channel: 'PARTNERPESA', account_number: '17', account_name: 'Asha Juma' };

/** Answers a collection, a bank payout or a lookup (of `PARTNERPESA` 17) as a gateway that works. */
export const accept: Behaviour = acceptWith({});

/** The same with some fields of the record changed. */
export function acceptWith(fields: Readonly<Record<string, string>>): Behaviour {
  return (response, socket, request) => {
    json(envelope({ ...recordFor(request), ...fields }))(response, socket, request);
  };
}

/** A refusal in shape B. */
export function refuse(code: string, status = 400): Behaviour {
  return json({ success: false, code, message: 'No' }, status);
}

/** An error answer with a message alone. */
export function bare(status: number, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return json({ message: 'No' }, status, headers);
}

/** Field messages, shape C. */
export function complain(field: string): Behaviour {
  return json({ success: false, message: 'No', errors: { [field]: ['is wrong'] } }, 422);
}

function recordFor({ path, body }: SeenRequest): Readonly<Record<string, unknown>> {
  if (path.endsWith('/name-lookup')) return HOLDER;
  // A read whose caller has given up may still arrive.
  if (body === '') return {};
  const { reference } = JSON.parse(body) as { readonly reference: string };
  return { ...(path.includes('/payments/') ? collectionRecord : bankRecord), reference };
}
