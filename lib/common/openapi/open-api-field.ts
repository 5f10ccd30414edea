import 'reflect-metadata';

/** What an OpenAPI document says of a field: the part of the schema object that the package needs. */
export interface FieldSchema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
  readonly format?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly nullable?: boolean;
  readonly items?: FieldSchema;
  readonly additionalProperties?: boolean | FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  /** @default true */
  readonly required?: boolean;
}

type Fields = Readonly<Record<string, FieldSchema>>;

/** Where `@nestjs/swagger` looks for what its own compiler plugin found, so that nothing of it is imported here. */
const FACTORY = '_OPENAPI_METADATA_FACTORY';

/** Shows a field of a class in the OpenAPI document of an application that uses `@nestjs/swagger`. */
export function OpenApiField(schema: FieldSchema): PropertyDecorator {
  return ({ constructor }, field) => {
    const before = ownFields(constructor);
    const fields = (): Fields => ({ ...before(), [field]: { required: true, ...schema } });
    Object.defineProperty(constructor, FACTORY, { value: fields, configurable: true });
  };
}

/** Without those of the class that it extends: `@nestjs/swagger` asks both. */
function ownFields(type: object): () => Fields {
  const own = Object.getOwnPropertyDescriptor(type, FACTORY)?.value as (() => Fields) | undefined;
  return own ?? (() => ({}));
}
