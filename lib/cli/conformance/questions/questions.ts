import { AMOUNT_QUESTIONS } from './amounts.questions.js';
import { CREDENTIAL_QUESTIONS } from './credentials.questions.js';
import { IDEMPOTENCY_QUESTIONS } from './idempotency.questions.js';
import { MEMORY_QUESTIONS } from './memory.questions.js';
import { METADATA_QUESTIONS } from './metadata.questions.js';
import { type Question } from './question.js';
import { READ_QUESTIONS } from './reads.questions.js';
import { REFERENCE_QUESTIONS } from './references.questions.js';
import { REFUSAL_QUESTIONS } from './refusals.questions.js';
import { SUCCESS_QUESTIONS } from './successes.questions.js';

/** Every question, in the order in which they are asked: what moves no money first, the dearest last. */
export const QUESTIONS: readonly Question[] = [
  ...CREDENTIAL_QUESTIONS,
  ...READ_QUESTIONS,
  ...REFUSAL_QUESTIONS,
  ...SUCCESS_QUESTIONS,
  ...IDEMPOTENCY_QUESTIONS,
  ...MEMORY_QUESTIONS,
  ...REFERENCE_QUESTIONS,
  ...METADATA_QUESTIONS,
  ...AMOUNT_QUESTIONS,
];
