import { type OpenAPIObject } from '@nestjs/swagger';
import { Ajv, type ValidateFunction } from 'ajv';
import { isEmail } from 'class-validator';

export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
}

/** The schemas of a host's OpenAPI document. */
export class DocumentSchemas {
  private readonly ajv = new Ajv({
    strict: false,
    allErrors: true,
    formats: {
      email: (text) => isEmail(text),
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
    },
  });

  constructor(private readonly document: OpenAPIObject) {
    this.ajv.addSchema(document, 'document');
  }

  get names(): readonly string[] {
    return Object.keys(this.document.components?.schemas ?? {});
  }

  get(name: string): ObjectSchema {
    const schema = this.document.components?.schemas?.[name];
    if (!schema) throw new Error(`The document has no schema ${name}`);
    return schema as unknown as ObjectSchema;
  }

  /** What a value has that the schema does not show, or lacks that it asks for. */
  problems(name: string, value: unknown): readonly string[] {
    const { properties } = this.get(name);
    const validate = this.ajv.getSchema(`document#/components/schemas/${name}`) as ValidateFunction;
    validate(value);
    const wrong = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    const hidden = Object.keys(value as object).filter((field) => !(field in properties));
    return [...wrong, ...hidden.map((field) => `/${field} is not shown`)];
  }

  /** The example that the document gives of every field. */
  example(name: string): Record<string, unknown> {
    const shown = Object.entries(this.get(name).properties).map(([field, { example, enum: values }]) => [
      field,
      example ?? (values as unknown[] | undefined)?.[0],
    ]);
    return Object.fromEntries(shown) as Record<string, unknown>;
  }
}
