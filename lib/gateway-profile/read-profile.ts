import { didYouMean } from '../common/closest-word.js';
import { instantOf } from '../common/instant.js';
import { isRecord } from '../common/json-object.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';
import { throwJoined } from '../errors/wrong-options.js';
import { FACT_NAMES, FACTS, type FactKind, type FactName } from './facts.js';
import { type GatewayProfile } from './gateway-profile.js';
import { checkForm, type Fields, type FormOf, type Report } from './profile-form.js';
import { checkWebhooks } from './webhook-form.js';

const PROFILE: FormOf<GatewayProfile> = {
  version: [(value) => value === 1, 'must be 1: this package reads no other version'],
  observedAt: [
    (value) => instantOf(value, { exact: true }) !== undefined,
    'must be a moment in UTC: write "2026-06-01T08:00:00Z"',
  ],
  facts: [isRecord, 'must be an object with the facts by their names: write {} if none is known'],
  evidence: [isRecord, 'must be an object with lists of request ids by fact: write {} if there are none'],
  webhooks: [
    (value) => value === undefined || isRecord(value),
    'must be an object, or left out if the signature is not known',
  ],
};

/**
 * Checks what was read as a profile, such as the content of `gateway.json`.
 *
 * @param source What the messages begin with: the name of the file.
 * @throws PaymentsConfigError that names every wrong field and what may stand there. It quotes no value.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 *
 * const profile = readProfile(JSON.parse(await readFile('gateway.json', 'utf8')), 'gateway.json');
 * await PaymentsSandbox.start({ profile });
 * ```
 *
 * @publicApi
 */
export function readProfile(value: unknown, source: string): GatewayProfile {
  const problems: PaymentsConfigError[] = [];
  const report: Report = (field, problem, meant = '') => {
    problems.push(new PaymentsConfigError(`${source}: ${field} ${problem}.${meant}`));
  };
  if (isRecord(value)) checkProfile(value, report);
  else report('it', 'must be an object: name what `conformance --out` wrote');
  throwJoined(problems);
  return value as GatewayProfile;
}

function checkProfile(profile: Fields, report: Report): void {
  const { facts, evidence, webhooks } = profile;
  if (profile['version'] !== 1) {
    // The fields of another version may mean something else.
    report('version', PROFILE.version[1]);
    return;
  }
  checkForm(PROFILE, profile, '', report);
  if (isRecord(facts)) checkFacts(facts, report);
  if (isRecord(evidence)) checkEvidence(evidence, report);
  if (isRecord(webhooks)) checkWebhooks(webhooks, report);
}

function checkFacts(facts: Fields, report: Report): void {
  for (const [name, value] of Object.entries(facts)) {
    if (isFact('facts', name, report) && !isValueOf(FACTS[name], value))
      report(fieldOf('facts', name), mayBe(FACTS[name]), meantValue(FACTS[name], value));
  }
}

function checkEvidence(evidence: Fields, report: Report): void {
  for (const [name, ids] of Object.entries(evidence)) {
    const isList = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
    if (isFact('evidence', name, report) && !isList)
      report(fieldOf('evidence', name), 'must be a list of request ids');
  }
}

function isFact(where: string, name: string, report: Report): name is FactName {
  if (Object.hasOwn(FACTS, name)) return true;
  report(fieldOf(where, name), 'is no fact that this package knows', didYouMean(name, FACT_NAMES));
  return false;
}

function fieldOf(where: string, name: string): string {
  return `${where}[${JSON.stringify(name)}]`;
}

function isValueOf({ values, ranges }: FactKind, value: unknown): boolean {
  if (ranges === undefined) return values.some((known) => known === value);
  return (
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    ranges.some(([least, most]) => value >= least && value <= most)
  );
}

function mayBe({ values, ranges }: FactKind): string {
  return ranges === undefined
    ? `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
    : `must be a whole number ${ranges.map(([least, most]) => `from ${least} to ${most}`).join(' or ')}`;
}

function meantValue({ values, ranges }: FactKind, value: unknown): string {
  return ranges === undefined && typeof value === 'string' ? didYouMean(value, values.map(String)) : '';
}
