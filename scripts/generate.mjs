// Writes the generated sources, which git ignores: the emulator's request validators, compiled from its
// OpenAPI documents, the types of those requests, the operations of its control API, and the files of its page as strings. The gateway's
// operations come from gateway.yaml; a spec compares them with the emulator's own table
// (lib/sandbox/core/operations.ts).
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv2020, { _ } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { parse } from 'yaml';

const sandbox = join(dirname(fileURLToPath(import.meta.url)), '..', 'lib', 'sandbox');
/** The keys of a path that are operations; others are parameters and descriptions. */
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const HEADER = '// Written by scripts/generate.mjs. Do not edit.\n';

const gateway = documentOf('gateway.yaml');
const operations = operationsOf(gateway);
const payoutKinds = payoutKindsOf(gateway);
const control = withOperations(documentOf('control.yaml'));
writeWhenChanged(join(sandbox, 'openapi', 'validators.generated.ts'), requestValidators(gateway));
writeWhenChanged(join(sandbox, 'openapi', 'requests.generated.ts'), requestTypes(gateway));
writeWhenChanged(join(sandbox, 'openapi', 'control-validators.generated.ts'), requestValidators(control));
writeWhenChanged(join(sandbox, 'openapi', 'control.generated.ts'), controlOperations(control));
writeWhenChanged(join(sandbox, 'openapi', 'operations.generated.ts'), operationNames());
writeWhenChanged(join(sandbox, 'page', 'operations.generated.js'), pageOperations());
writeWhenChanged(join(sandbox, 'page', 'assets.generated.ts'), pageAssets());

function documentOf(file) {
  return parse(readFileSync(join(sandbox, 'openapi', file), 'utf8'));
}

/** The gateway's operations: method and path. */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((key) => METHODS.includes(key))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** The `x-payout-kind` of each operation that has one. */
function payoutKindsOf({ paths }) {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods).map((operation) => operation['x-payout-kind']))
    .filter((kind) => kind !== undefined);
}

/** Adds the operations that a fault may name, and the kinds of payout, to the control API's document. */
function withOperations(document) {
  const { schemas } = document.components;
  schemas.Operation.enum = operations;
  schemas.PayoutKind.enum = payoutKinds;
  return document;
}

function requestNames({ components }) {
  return Object.keys(components.schemas).filter((name) => name.endsWith('Request'));
}

/** The TypeScript type of each request. */
function requestTypes(document) {
  const { schemas } = document.components;
  const types = requestNames(document).map((name) => {
    const { properties, required = [] } = followReference(schemas, schemas[name]);
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = typeOf(followReference(schemas, schema));
      return `  readonly ${field}${required.includes(field) ? '' : '?'}: ${type};\n`;
    });
    return `\nexport interface ${name} {\n${fields.join('')}}\n`;
  });
  return HEADER + types.join('');
}

function typeOf({ const: value, type }) {
  if (value !== undefined) return JSON.stringify(value);
  if (type === undefined) return 'unknown';
  return [type].flat().map(typeName).join(' | ');
}

function typeName(type) {
  if (type === 'object') return 'Readonly<Record<string, unknown>>';
  if (!['string', 'number', 'boolean'].includes(type))
    throw new Error(`a request has a field of type ${type}`);
  return type;
}

function requestValidators(document) {
  const { schemas } = document.components;
  const names = requestNames(document);

  const ajv = new Ajv2020.default({
    strict: false,
    allErrors: true,
    unicode: false, // otherwise the compiled code would import ajv at run time
    logger: false, // it would report that option as deprecated at every run
    messages: false,
    inlineRefs: false,
    unicodeRegExp: false,
    formats: { email: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/ },
    code: { source: true, esm: true, lines: true },
  });
  ajv.addKeyword(decimalsKeyword());
  ajv.addSchema(document, 'gateway.json');
  const code = standaloneCode.default(
    ajv,
    Object.fromEntries(names.map((name) => [`validate${name}`, `gateway.json#/components/schemas/${name}`])),
  );
  if (/\brequire\(|^import /m.test(code)) throw new Error('the compiled validators import something');

  const rules = Object.fromEntries(names.map((name) => [name, fieldRules(schemas, name)]));
  return `// @ts-nocheck\n${HEADER}${code}\nexport const fieldRules = ${JSON.stringify(rules, null, 2)};\n`;
}

/** Refuses a number with an exponent or with more decimals than the keyword's value. */
function decimalsKeyword() {
  return {
    keyword: 'x-decimals',
    type: 'number',
    schemaType: 'number',
    code(context) {
      const text = _`String(${context.data})`;
      context.fail(
        _`!/^\\d+(\\.\\d+)?$/.test(${text}) || (${text}.split(".")[1] ?? "").length > ${context.schema}`,
      );
    },
  };
}

/** The message for each refused field of a request: the `x-rule` of its schema. */
function fieldRules(schemas, name) {
  const schema = followReference(schemas, schemas[name]);
  return Object.fromEntries(
    Object.entries(schema.properties).map(([field, value]) => [
      field,
      followReference(schemas, value)['x-rule'],
    ]),
  );
}

function followReference(schemas, schema) {
  return schema.$ref ? followReference(schemas, schemas[schema.$ref.split('/').at(-1)]) : schema;
}

/** The document as text, and the router's data for each operation. */
function controlOperations(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      status: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
      query: (operation.parameters ?? [])
        .map((parameter) =>
          parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter,
        )
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => parameter.name),
      body: operation.requestBody?.content['application/json'].schema.$ref.split('/').at(-1) ?? null,
    })),
  );
  return `${HEADER}export const controlDocument = ${JSON.stringify(JSON.stringify(document))};

export const controlOperations = ${JSON.stringify(operations, null, 2)} as const;
`;
}

function operationNames() {
  return `${HEADER}export const gatewayOperations = ${JSON.stringify(operations, null, 2)} as const;

export const payoutKinds = ${JSON.stringify(payoutKinds)} as const;
`;
}

function pageOperations() {
  return `${HEADER}export const OPERATIONS = ${JSON.stringify(operations, null, 2)};\n`;
}

function pageAssets() {
  const folder = join(sandbox, 'page');
  const names = readdirSync(folder)
    .filter((name) => !name.endsWith('.ts'))
    .sort();
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  return `${HEADER}export const pageFiles: Readonly<Record<string, string>> = ${JSON.stringify(files, null, 2)};\n`;
}

/** Renames into place, so that a concurrent test run never reads half of a file. */
function writeWhenChanged(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
