import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { type SandboxExchange } from 'nestjs-payments/sandbox';

/** The parts of `gateway.yaml` that are read here. */
interface GatewayDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
}

interface OperationObject {
  readonly requestBody?: JsonContent;
  readonly responses: Readonly<Record<string, unknown>>;
}

interface JsonContent {
  readonly content?: { readonly 'application/json': { readonly schema: Reference } };
}

interface Reference {
  readonly $ref?: string;
}

interface DataSchema extends Reference {
  readonly items?: Reference;
}

/** An object's schema, with what it takes over from another one. */
export interface GatewaySchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

const DOCUMENT_ID = 'gateway.json';
const PREFIX = '/api/v1';

export const gatewayDocument = parse(
  readFileSync(new URL('../../lib/sandbox/openapi/gateway.yaml', import.meta.url), 'utf8'),
) as GatewayDocument;

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    email: /^[^\s@]+@[^\s@]+$/,
    uuid: /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  },
});
ajv.addSchema(gatewayDocument, DOCUMENT_ID);

const { schemas } = (gatewayDocument as unknown as { components: { schemas: Record<string, object> } })
  .components;

const documentedOperations = Object.values(gatewayDocument.paths).flatMap((methods) =>
  Object.values(methods),
);

/** The names of the requests of its operations. */
export const GATEWAY_REQUESTS: readonly string[] = distinct(
  documentedOperations.flatMap(({ requestBody }) => (requestBody ? [bodyOf(requestBody)] : [])),
);

/** The names of the records that its successes have as `data`, or as an element of it. */
export const GATEWAY_RECORDS: readonly string[] = distinct(
  documentedOperations.flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([, response]) => recordOf(bodyOf(response as JsonContent))),
  ),
);

function bodyOf({ content }: JsonContent): string {
  return nameOf(content?.['application/json'].schema ?? {});
}

function recordOf(answer: string): string {
  // Beside the reference to its envelope, an answer has the properties that only it has.
  const { properties } = schemas[answer] as { readonly properties?: { readonly data?: DataSchema } };
  return nameOf(properties?.data?.items ?? properties?.data ?? {});
}

function nameOf({ $ref }: Reference): string {
  const name = $ref?.split('/').at(-1);
  if (name === undefined) throw new Error('gateway.yaml: give this request or record a schema with a name');
  return name;
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** A named schema of `gateway.yaml`. */
export function gatewaySchema(name: string): GatewaySchema {
  const schema = schemas[name] as (GatewaySchema & { readonly $ref?: string }) | undefined;
  if (!schema) throw new Error(`The document has no schema ${name}`);
  return schema.$ref === undefined ? schema : gatewaySchema(schema.$ref.split('/').at(-1) ?? '');
}

/** What in an answer contradicts `gateway.yaml`; one that a fault spoiled or a profile varied is let through. */
export function answerProblems({ request, answer }: SandboxExchange): readonly string[] {
  if (answer === null || request.varied.length > 0 || (request.fault !== null && request.fault !== 'delay'))
    return [];
  const where = `${request.method} ${request.path} answered ${request.status ?? 0}`;
  const pointer = answerSchema(request.method, request.path, request.status ?? 0);
  if (pointer === undefined) return [`${where}: the document has no such answer`];
  return schemaProblems(pointer, answer).map((problem) => `${where}: ${problem}`);
}

/** What in a webhook's body contradicts `gateway.yaml`. */
export function webhookProblems(body: string): readonly string[] {
  return schemaProblems('#/components/schemas/PaymentWebhook', body).map((problem) => `webhook: ${problem}`);
}

/** The operation that a request called, as `GET /payments/{reference}`. */
export function operationOf({ method, path }: Pick<SandboxExchange['request'], 'method' | 'path'>): string {
  const [resource = ''] = path.split('?', 1);
  return `${method} ${templateOf(method, resource.slice(PREFIX.length))}`;
}

function answerSchema(method: string, path: string, status: number): string | undefined {
  const resource = (path.split('?', 1)[0] ?? '').slice(PREFIX.length);
  const template = templateOf(method, resource);
  const operation = gatewayDocument.paths[template]?.[method.toLowerCase()];
  if (!operation) return status === 404 || status === 405 ? '#/components/schemas/ErrorA' : undefined;
  const key = [String(status), `${String(status).charAt(0)}XX`].find((name) => name in operation.responses);
  if (key === undefined) return undefined;
  const response = ['paths', template, method.toLowerCase(), 'responses', key];
  const shared = (operation.responses[key] as { readonly $ref?: string }).$ref;
  return `${shared ?? pointerTo(response)}/content/application~1json/schema`;
}

/** The document's path for a real one, which may be a template: `/payments/{reference}`. A literal path comes first. */
function templateOf(method: string, resource: string): string {
  if (gatewayDocument.paths[resource]?.[method.toLowerCase()]) return resource;
  const fits = (template: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(resource) &&
    method.toLowerCase() in (gatewayDocument.paths[template] ?? {});
  return Object.keys(gatewayDocument.paths).find(fits) ?? resource;
}

function pointerTo(segments: readonly string[]): string {
  const escaped = segments.map((segment) => segment.replaceAll('~', '~0').replaceAll('/', '~1'));
  return `#/${escaped.join('/')}`;
}

/** What in a text contradicts a schema of `gateway.yaml`. */
export function schemaProblems(pointer: string, text: string): readonly string[] {
  const validate = ajv.getSchema(`${DOCUMENT_ID}${pointer}`);
  if (!validate) return [`the document has nothing at ${pointer}`];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return ['is not JSON'];
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }: ErrorObject) => `${instancePath || '/'} ${message ?? 'is wrong'}`,
  );
}
