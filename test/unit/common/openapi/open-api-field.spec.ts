import { expect, it } from 'vitest';
import { CURRENCY, listed, TEXT } from '../../../../lib/common/openapi/field-schemas.js';
import { OpenApiField } from '../../../../lib/common/openapi/open-api-field.js';

class Request {
  @OpenApiField(TEXT)
  declare reference: string;

  @OpenApiField(CURRENCY)
  declare currency?: 'TZS';
}

class SpecialRequest extends Request {
  @OpenApiField(TEXT)
  declare phone: string;
}

class PlainRequest extends Request {}

/** As `@nestjs/swagger` asks each class of a chain. */
function ownFields(type: object): unknown {
  const factory: unknown = Object.getOwnPropertyDescriptor(type, '_OPENAPI_METADATA_FACTORY')?.value;
  return typeof factory === 'function' ? (factory as () => unknown)() : undefined;
}

it('shows every field of a class, required unless its schema says otherwise', () => {
  expect(ownFields(Request)).toEqual({
    reference: { ...TEXT, required: true },
    currency: {
      type: 'string',
      enum: ['TZS'],
      default: 'TZS',
      required: false,
      description: 'Always TZS.',
    },
  });
});

it('shows of a class that extends another one its own fields only', () => {
  expect(ownFields(SpecialRequest)).toEqual({ phone: { ...TEXT, required: true } });
  expect(ownFields(PlainRequest)).toBeUndefined();
});

it('shows values that the specification lists, and that others are kept as they came', () => {
  expect(listed(['pending', 'paid'])).toEqual({
    anyOf: [{ type: 'string', enum: ['pending', 'paid'] }, { type: 'string' }],
  });
});
