import { type OutcomePlan, WAITING } from '../core/outcome-plan.js';
import { type Fault, isBeforehand } from '../core/fault.js';
import { type SandboxOperation } from '../core/operation-name.js';
import { OPERATIONS } from '../core/operations.js';
import { refused, refusedBeforehand, type Refusal } from '../core/refusal.js';
import { type Rule } from '../core/rule.js';
import { findScenario, type Scenario, type ScenarioFault, scenariosOf } from './scenario-table.js';

/** The input that decides a call's rule. */
export interface RuleInput {
  readonly operation: SandboxOperation;
  /** The planned fault that applies to this call. */
  readonly fault: Fault | undefined;
  /** `X-Sandbox-Scenario`. */
  readonly header: string | undefined;
  /** The phone or account number that the money comes from or goes to. */
  readonly number: string | undefined;
  readonly auto: boolean;
}

const AUTO_DELAY_MS = 2_000;

/**
 * Chooses the rule of a call: a planned fault, else the header, else the number's ending, else the mode. A
 * fault changes only the answer. If it lets the request through, the next rule decides what happens to the
 * payment, and whether the emulator processes the request at all.
 */
export function chooseRule(input: RuleInput): Rule {
  const { fault } = input;
  const rule = ruleWithoutFault(input);
  if (!fault) return rule;
  const unprocessed = rule.fault && isBeforehand(rule.fault) ? rule.fault : undefined;
  return { ...rule, name: `fault ${fault.kind}`, fault, ...(unprocessed && { unprocessed }) };
}

/** A rule that has only the fault of its scenario. */
type UnplannedRule = Rule & { readonly fault?: ScenarioFault };

function ruleWithoutFault({ operation, header, number, auto }: RuleInput): UnplannedRule {
  if (header !== undefined) {
    const scenario = findScenario(operation, header);
    if (scenario) return scenarioRule(`header ${scenario.ending}`, scenario);
    return { name: 'header unknown', plan: WAITING, refusal: unknownScenario(operation) };
  }
  const scenario = number === undefined ? undefined : findScenario(operation, number.slice(-4));
  if (scenario) return scenarioRule(`ending ${scenario.ending}`, scenario);
  return auto
    ? { name: 'default auto', plan: automaticOutcome(operation) }
    : { name: 'default manual', plan: WAITING };
}

function scenarioRule(name: string, { plan, fault, refusal }: Scenario): UnplannedRule {
  return { name, plan, ...(fault && { fault }), ...(refusal && { refusal: refused(refusal) }) };
}

function automaticOutcome(operation: SandboxOperation): OutcomePlan {
  const to = OPERATIONS[operation].makes === 'collection' ? 'success' : 'paid';
  return { ...WAITING, transitions: [{ afterMs: AUTO_DELAY_MS, to }] };
}

function unknownScenario(operation: SandboxOperation): Refusal {
  const codes = [...new Set(scenariosOf(operation).map(({ ending }) => ending))].join(', ');
  return refusedBeforehand(
    400,
    'INVALID_REQUEST',
    `The X-Sandbox-Scenario header names no scenario of ${operation}: write one of ${codes}.`,
  );
}
