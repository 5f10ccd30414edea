import { isEmail } from 'class-validator';
import { bareReference } from '../bare-reference.js';
import { TZ_PHONE } from '../phone.js';
import { fieldRule, whenGiven, type FieldProblem } from './field-rule.js';

const MAX_REFERENCE_BYTES = 255;
const NETWORK_TOKEN = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
/** An address of the usual form, which `isEmail` takes, at a tenth of its price; of any other form it is asked. */
const USUAL_EMAIL = /^(?=.{1,64}$)[a-z\d]+(?:[._+-][a-z\d]+)*@(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}$/i;
/** Half of a surrogate pair: it cannot be written in UTF-8 and would arrive as another character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Rule of every plain text field: a string that is not blank. */
export const textProblem: FieldProblem = (value) => {
  if (typeof value !== 'string') return 'is required and must be a string';
  if (value.trim() === '')
    return 'must not be blank: write at least one visible character, or ask for it again';
  if (LONE_SURROGATE.test(value))
    return 'must be whole characters: it holds half of an emoji or of a similar sign';
  return undefined;
};

const referenceProblem: FieldProblem = (value, request) => {
  const problem = textProblem(value, request);
  if (problem !== undefined) return problem;
  const reference = String(value);
  if (CONTROL_CHARACTER.test(reference))
    return 'must not hold control characters, such as a line break or a tab: take them out';
  // A gateway that trims it sends the webhook under another name, which the journal does not know.
  if (bareReference(reference) !== reference)
    return 'must not begin or end with white space or an invisible character: trim it';
  return Buffer.byteLength(String(value)) > MAX_REFERENCE_BYTES
    ? 'must be at most 255 bytes long: use the id of your order, not its description'
    : undefined;
};

const phoneProblem: FieldProblem = (value) =>
  typeof value === 'string' && TZ_PHONE.test(value)
    ? undefined
    : 'must be a string of 255 and nine digits, without a plus sign, spaces or a leading 0: write 255712345678';

const emailProblem: FieldProblem = (value) =>
  (typeof value === 'string' && USUAL_EMAIL.test(value)) || isEmail(value)
    ? undefined
    : 'is required and must be an e-mail address: write name@example.com';

const currencyProblem: FieldProblem = (value) =>
  value === 'TZS' ? undefined : 'must be "TZS": leave it out, or write "TZS"';

const networkProblem: FieldProblem = (value) =>
  typeof value === 'string' && NETWORK_TOKEN.test(value)
    ? undefined
    : 'must be a network name in upper case, words joined by underscores: write it as the gateway does, for example NET_ONE';

/** A string that is not blank. */
export const IsText = (): PropertyDecorator => fieldRule('isText', textProblem);

/** The merchant's reference: 1 to 255 bytes, without white space at its ends or control characters. */
export const IsReference = (): PropertyDecorator => fieldRule('isReference', referenceProblem);

/** `255` and nine digits (specification, "Endpoints" 1). */
export const IsTzPhone = (): PropertyDecorator => fieldRule('isTzPhone', phoneProblem);

/** An e-mail address. */
export const IsEmailAddress = (): PropertyDecorator => fieldRule('isEmailAddress', emailProblem);

/** `TZS`, or left out (specification, "Limits" 2). */
export const IsTzs = (): PropertyDecorator => fieldRule('isTzs', whenGiven(currencyProblem));

/** An upper-case token (specification, "Endpoints" 7). */
export const IsNetworkToken = (): PropertyDecorator => fieldRule('isNetworkToken', networkProblem);
