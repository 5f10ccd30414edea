import { Ajv2020 } from 'ajv/dist/2020.js';
import { controlDocument as generatedDocument } from '../../lib/sandbox/openapi/control.generated.js';

interface ControlDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

/** What is read here of an operation of `control.yaml`. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

const DOCUMENT_ID = 'control.json';

/** `control.yaml` with the operations of the gateway filled in, as the emulator serves it. */
export const controlDocument = JSON.parse(generatedDocument) as ControlDocument;

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
});
ajv.addSchema(controlDocument, DOCUMENT_ID);

/** The operation that a call of the control API is, as the document has it. */
export function documentedOperation(method: string, path: string): DocumentedOperation | undefined {
  const [template] = templatesOf(path);
  return template === undefined ? undefined : controlDocument.paths[template]?.[method.toLowerCase()];
}

/** Throws what in an answer contradicts `control.yaml`. */
export function checkControlAnswer(
  method: string,
  path: string,
  status: number,
  body: unknown,
  type = 'application/json',
): void {
  const [template] = templatesOf(path);
  const operation = documentedOperation(method, path);
  const name = operation && String(status) in operation.responses ? String(status) : 'default';
  if (status < 400 && name === 'default')
    throw new Error(`${method} ${path} answered ${status}, which is not in the document.`);
  const shared = operation?.responses[name]?.$ref;
  const place = ['paths', template ?? '', method.toLowerCase(), 'responses', name].map(escaped).join('/');
  const response = operation ? (shared ?? `#/${place}`) : '#/components/responses/Error';
  const validate = ajv.getSchema(`${DOCUMENT_ID}${response}/content/${escaped(type)}/schema`);
  if (!validate) throw new Error(`The document has no ${type} at ${response}.`);
  if (!validate(body)) throw new Error(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`);
}

/** The document's path for a real one; a literal path comes before a template. */
function templatesOf(path: string): readonly string[] {
  const [plain = ''] = path.split('?', 1);
  const fits = (template: string) =>
    new RegExp(`^${template.replace('.', '[.]').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain);
  return Object.keys(controlDocument.paths)
    .filter(fits)
    .sort((one, other) => one.split('{').length - other.split('{').length);
}

function escaped(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
