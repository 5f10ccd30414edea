import { BadRequestException } from '@nestjs/common';
import { type ValidationError } from 'class-validator';

/** Names the wrong fields beside the messages, so that a page can say them in its customer's language. */
export function wrongFields(errors: readonly ValidationError[]): BadRequestException {
  return new BadRequestException({
    statusCode: 400,
    error: 'Bad Request',
    message: errors.flatMap(({ constraints = {} }) => Object.values(constraints)),
    fields: errors.map(({ property }) => property),
  });
}
