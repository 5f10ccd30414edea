import { describe, expect, it } from 'vitest';
import { COLLECTION_STATUSES, DISBURSEMENT_STATUSES } from '../../../../lib/common/vocabulary.js';
import { PAYMENT_EVENT_NAMES } from '../../../../lib/common/events.js';
import { SANDBOX_NETWORKS } from '../../../../lib/sandbox/core/recipients.js';
import { OPERATIONS } from '../../../../lib/sandbox/core/operations.js';
import { fieldNames } from '../../../../lib/sandbox/openapi/request-validation.js';
import { answerProblems, gatewayDocument, webhookProblems } from '../../../support/gateway-contract.js';

type Node = Readonly<Record<string, unknown>>;

const schemas = (gatewayDocument as unknown as { components: { schemas: Record<string, Node> } }).components
  .schemas;

describe('gateway.yaml', () => {
  it('has the operations of the emulator, each with the same request and an Idempotency-Key if the table has one', () => {
    const documented = Object.entries(gatewayDocument.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const text = JSON.stringify(operation);
        const request = /schemas\/(\w+Request)"/.exec(text)?.[1];
        return [`${method.toUpperCase()} ${path}`, request, text.includes('parameters/IdempotencyKey')];
      }),
    );
    const performed = Object.entries(OPERATIONS).map(([operation, { request, makes }]) => [
      operation,
      request,
      makes !== undefined,
    ]);
    expect(documented.sort(), 'write a row in lib/sandbox/core/operations.ts').toEqual(performed.sort());
  });

  it('has the fields that the matchers of the emulator know', () => {
    const known = Object.values(OPERATIONS).flatMap(({ request }) => request ?? []);
    for (const request of known) {
      const { $ref = request } = schemas[request] as { $ref?: string };
      const { properties } = schemas[$ref.split('/').at(-1) ?? ''] as { properties: Node };
      expect(fieldNames(request)).toEqual(Object.keys(properties));
    }
    expect(known).toHaveLength(5);
  });

  it('says of every schema, response and field whether the specification shows it', () => {
    expect(unmarked(gatewayDocument as unknown as Node)).toEqual([]);
  });

  it('names each limit of a shown value that the specification does not show', () => {
    const limits = ['maxLength', 'exclusiveMaximum', 'x-decimals'];
    const unnamed = Object.entries(schemas).flatMap(([name, schema]) => {
      const invented = (schema['x-invented'] as string[] | undefined) ?? [];
      return limits
        .filter((limit) => limit in schema && !invented.includes(limit))
        .map((limit) => [name, limit]);
    });
    expect(unnamed).toEqual([]);
  });

  it('names what the emulator chose in an error or a request that the specification shows', () => {
    const { responses } = (gatewayDocument as unknown as { components: { responses: Node } }).components;
    const { customer_email: email } = schemas['MobileMoneyCollectionRequest']?.['properties'] as Node;
    const chosen = [
      responses['Unauthorized'],
      schemas['UnauthorizedError'],
      responses['TooManyRequests'],
      email,
    ];
    expect(chosen.map((node) => (node as Node)['x-invented'])).toEqual([
      ['content'],
      ['$ref'],
      ['content'],
      ['type'],
    ]);
  });

  it('has every status, event and code of the specification', () => {
    const text = JSON.stringify(gatewayDocument);
    const codes = [
      'UNAUTHORIZED',
      'INSUFFICIENT_PERMISSIONS',
      'INVALID_REQUEST',
      'DUPLICATE_REQUEST',
      'INVALID_BANK_CODE',
      'ACCOUNT_NOT_FOUND',
      'INVALID_CHANNEL',
      'INVALID_BANK',
      'INVALID_ACCOUNT',
      'ACCOUNT_NAME_MISMATCH',
      'INVALID_NETWORK',
      'INVALID_PHONE',
      'INSUFFICIENT_BALANCE',
      'DUPLICATE_REFERENCE',
      'PROVIDER_ERROR',
    ];
    expect(codes.filter((code) => !text.includes(`"${code}"`))).toEqual([]);
    expect(schemas['CollectionStatus']?.['enum']).toEqual(COLLECTION_STATUSES);
    expect(schemas['DisbursementStatus']?.['enum']).toEqual(DISBURSEMENT_STATUSES);
    expect(PAYMENT_EVENT_NAMES.filter((name) => !text.includes(`"${name}"`))).toEqual([]);
  });

  it('names the networks that the emulator has', () => {
    expect(schemas['Network']?.['enum']).toEqual(SANDBOX_NETWORKS);
  });
});

describe('the contract check', () => {
  const balance = { balance: 3, available_balance: 2, locked_balance: 1, currency: 'TZS' };
  const envelope = {
    status: 'success',
    code: 'SUCCESS',
    message: 'fine',
    data: balance,
    meta: [],
    request_id: '22802d1e-e017-495e-9bad-5de75d608bfc',
  };
  const problemsOf = (
    body: unknown,
    { status = 200, path = '/merchant-balance', fault = null as string | null } = {},
  ) =>
    answerProblems({
      request: {
        id: '1',
        at: '',
        merchant: 'demo',
        reference: null,
        method: 'GET',
        path: `/api/v1${path}`,
        headers: {},
        body: null,
        status,
        code: null,
        reason: null,
        duration_ms: 1,
        response_headers: {},
        response_body: null,
        fault,
        rule: null,
        varied: [],
      },
      answer: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('lets a right answer through', () => {
    expect(problemsOf(envelope)).toEqual([]);
  });

  it.each([
    ['an amount as a string', { ...envelope, data: { ...balance, balance: '3.00' } }],
    ['a field too many', { ...envelope, data: { ...balance, extra: 1 } }],
    ['a field too few', { ...envelope, data: { balance: 3, available_balance: 3, currency: 'TZS' } }],
    ['another code', { ...envelope, code: 'OK' }],
    ['a request_id that is no UUID', { ...envelope, request_id: '1' }],
    ['a meta that is not empty', { ...envelope, meta: [1] }],
    ['an envelope with something more', { ...envelope, extra: 1 }],
    ['no envelope', balance],
    ['no JSON', '<html>'],
  ])('catches %s', (_, body) => {
    expect(problemsOf(body)).not.toEqual([]);
  });

  it('catches a code that does not belong to the operation, a wrong shape and an unknown answer', () => {
    const refusal = { success: false, code: 'INVALID_NETWORK', message: 'no' };
    expect(problemsOf(refusal, { status: 422 })).not.toEqual([]);
    expect(problemsOf({ ...refusal, code: 'UNAUTHORIZED' }, { status: 401 })).not.toEqual([]);
    expect(problemsOf(envelope, { path: '/nothing' })).not.toEqual([]);
    expect(problemsOf(envelope, { status: 302 })).not.toEqual([]);
  });

  it('lets pass what a fault spoiled, but not what it only delayed', () => {
    expect(problemsOf('<html>', { fault: 'html' })).toEqual([]);
    expect(problemsOf('<html>', { fault: 'delay' })).not.toEqual([]);
  });

  it('catches a webhook whose status is not what its event says', () => {
    const event = {
      event: 'payment.success',
      created_at: '2026-01-01T09:00:00.123Z',
      data: {
        reference: 'order-1',
        amount: '1.00',
        currency: 'TZS',
        status: 'success',
        customer_name: 'A',
        customer_email: 'a@b.co',
        customer_phone: '255712345678',
        channel: 'NET_ONE',
        provider_reference: 'P',
        metadata: null,
      },
    };
    expect(webhookProblems(JSON.stringify(event))).toEqual([]);
    expect(webhookProblems(JSON.stringify({ ...event, event: 'payment.failed' }))).not.toEqual([]);
    expect(webhookProblems(JSON.stringify({ ...event, created_at: '2026-01-01T09:00:00Z' }))).not.toEqual([]);
    expect(webhookProblems(JSON.stringify({ ...event, data: { ...event.data, amount: 1 } }))).not.toEqual([]);
  });
});

/** Where a mark is missing. A `$ref` is marked at its target. */
function unmarked(document: Node): readonly string[] {
  const { paths, components } = document as { paths: Node; components: Record<string, Node> };
  const responses = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods as Node).flatMap((operation) =>
      Object.entries((operation as { responses: Node }).responses).map(
        ([status, response]) => [`${path} ${status}`, response as Node] as const,
      ),
    ),
  );
  const shared = ['schemas', 'responses', 'parameters', 'securitySchemes'].flatMap((kind) =>
    Object.entries(components[kind] ?? {}).map(([name, node]) => [`${kind} ${name}`, node as Node] as const),
  );
  const fields = Object.entries(components['schemas'] ?? {}).flatMap(([name, schema]) => {
    // An envelope narrows fields that are marked at its target.
    if ('$ref' in (schema as Node)) return [];
    const variants = [schema as Node, ...(((schema as Node)['oneOf'] as Node[] | undefined) ?? [])];
    return variants.flatMap((variant) =>
      Object.entries((variant['properties'] as Node | undefined) ?? {})
        .filter(() => variant === schema || 'additionalProperties' in variant)
        .map(([field, node]) => [`${name}.${field}`, node as Node] as const),
    );
  });
  return [...responses, ...shared, ...fields]
    .filter(([, node]) => !('$ref' in node) && !('x-spec-status' in node))
    .map(([where]) => where);
}
