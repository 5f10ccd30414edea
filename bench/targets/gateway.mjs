// Answers every request like a success of POST /payments/mobile-money or /disbursements/bank, with 1 kB of JSON, and a GET with a balance; counts
// connections.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';

const ANSWER_BYTES = 1_024;
const RECORD = {
  merchant_id: 7,
  customer_name: 'Asha Juma',
  customer_email: 'asha@example.com',
  customer_phone: '255712345678',
  fee: 23.61,
  net_amount: 1156.89,
  currency: 'TZS',
  source: 'api',
  payment_method: 'mobile_money',
  provider: 'provider-a',
  provider_reference: 'PA-1',
  status: 'pending',
  created_at: '2026-01-01T00:00:00.000000Z',
  processing_at: null,
};
const PAYOUT_RECORD = {
  fee: '23.61',
  total_amount: '1204.11',
  currency: 'TZS',
  bank_code: 'BSB',
  bank_name: 'Bahari Savings Bank',
  account_number: '0150000000999',
  account_name: 'Asha Juma',
  provider: 'provider-a',
  status: 'processing',
  remarks: 'Supplier',
};
const ENVELOPE = {
  status: 'success',
  code: 'PAYMENT_INITIATED',
  message: 'Payment initiated',
  meta: [],
  request_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
};

const BALANCE = JSON.stringify({
  ...ENVELOPE,
  code: 'BALANCE_RETRIEVED',
  data: { balance: '10.00', available_balance: '10.00', locked_balance: '0.00', currency: 'TZS' },
});

/** @param options `tls`: paths of a certificate and its key; `latencyMs`: how long an answer waits. */
export default async function open({ tls, latencyMs }) {
  const listener = latencyMs ? later(latencyMs) : serve;
  const server = tls
    ? createHttpsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, listener)
    : createServer(listener);
  let connections = 0;
  server.on(tls ? 'secureConnection' : 'connection', () => (connections += 1));
  // Between two rounds of the same subject the others have their turn.
  server.keepAliveTimeout = 600_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: () => server.address().port,
    connections: () => connections,
  };
}

function later(latencyMs) {
  return (request, response) => setTimeout(serve, latencyMs, request, response);
}

function serve(request, response) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const answer = request.method === 'GET' ? BALANCE : answerTo(request, Buffer.concat(chunks).toString());
    response.setHeader('content-type', 'application/json');
    response.setHeader('content-length', Buffer.byteLength(answer));
    response.end(answer);
  });
}

function answerTo({ headers, url }, body) {
  const isJson = headers['content-type']?.includes('json') ?? false;
  const { reference = 'order', amount = 1180.5 } = isJson ? JSON.parse(body) : {};
  const [code, record] = url.endsWith('/disbursements/bank')
    ? ['DISBURSEMENT_INITIATED', { ...PAYOUT_RECORD, amount: amount.toFixed(2) }]
    : [ENVELOPE.code, { ...RECORD, amount }];
  const text = (note) =>
    JSON.stringify({ ...ENVELOPE, code, data: { ...record, reference, metadata: { note } } });
  return text('x'.repeat(ANSWER_BYTES - text('').length));
}
