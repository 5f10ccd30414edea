import { type OutcomePlan, WAITING } from '../core/outcome-plan.js';
import { type Fault } from '../core/fault.js';
import { OPERATIONS, type SandboxOperation } from '../core/operations.js';
import { refused, refusedBeforehand, type Refusal } from '../core/refusal.js';
import { type Rule } from '../core/rule.js';
import { findScenario, type Scenario, scenariosOf } from './scenario-table.js';

/** What the rule of one call depends on. */
export interface RuleInput {
  readonly operation: SandboxOperation;
  /** The planned fault that this call takes. */
  readonly fault: Fault | undefined;
  /** `X-Sandbox-Scenario`. */
  readonly header: string | undefined;
  /** The phone or account number that the money comes from or goes to. */
  readonly number: string | undefined;
  readonly auto: boolean;
}

const AUTO_DECIDES_AFTER_MS = 2_000;

/**
 * Which rule decides about a call: a planned fault, then the header, then the number's ending, then the mode. A fault
 * spoils the answer alone; what becomes of a request that it lets through follows the next rule.
 */
export function chooseRule(input: RuleInput): Rule {
  const rule = ruleWithoutFault(input);
  return input.fault ? { ...rule, name: `fault ${input.fault.kind}`, fault: input.fault } : rule;
}

function ruleWithoutFault({ operation, header, number, auto }: RuleInput): Rule {
  if (header !== undefined) {
    const scenario = findScenario(operation, header);
    if (scenario) return scenarioRule(`header ${scenario.ending}`, scenario);
    return { name: 'header unknown', course: WAITING, refusal: unknownScenario(operation) };
  }
  const scenario = number === undefined ? undefined : findScenario(operation, number.slice(-4));
  if (scenario) return scenarioRule(`ending ${scenario.ending}`, scenario);
  return auto
    ? { name: 'default auto', course: decidedByItself(operation) }
    : { name: 'default manual', course: WAITING };
}

function scenarioRule(name: string, { course = WAITING, fault, refusal }: Scenario): Rule {
  return { name, course, ...(fault && { fault }), ...(refusal && { refusal: refused(refusal) }) };
}

function decidedByItself(operation: SandboxOperation): OutcomePlan {
  const to = OPERATIONS[operation].makes === 'collection' ? 'success' : 'paid';
  return { ...WAITING, moves: [{ afterMs: AUTO_DECIDES_AFTER_MS, to }] };
}

function unknownScenario(operation: SandboxOperation): Refusal {
  const codes = [...new Set(scenariosOf(operation).map(({ ending }) => ending))].join(', ');
  return refusedBeforehand(
    400,
    'INVALID_REQUEST',
    `The X-Sandbox-Scenario header names no scenario of ${operation}: write one of ${codes}.`,
  );
}
