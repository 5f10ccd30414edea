import { isSecretForm } from './webhook-secret.js';

/** Whether the fields of a signature scheme beside its functions are of their kind. */
export function hasSchemeFields({
  name = '',
  secretForm,
  requiredHeaders = [],
}: Readonly<Record<string, unknown>>): boolean {
  const isForm = secretForm === undefined || isSecretForm(secretForm);
  const areNames = Array.isArray(requiredHeaders) && requiredHeaders.every((one) => typeof one === 'string');
  return typeof name === 'string' && isForm && areNames;
}
