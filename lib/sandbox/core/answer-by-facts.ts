import {
  OPERATION_FACTS,
  type OperationFact,
  REFUSAL_FACTS,
  type RefusalFact,
} from '../../gateway-profile/facts.js';
import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type GatewayAnswer } from './gateway-answer.js';
import { type SandboxOperation } from './operation-name.js';

type Body = GatewayAnswer['body'];

/** Gives an answer the HTTP status and the error shape that the facts say. */
export function answerByFacts(
  answer: GatewayAnswer,
  operation: SandboxOperation,
  facts: ResolvedFacts,
): GatewayAnswer {
  const { body, isOfHttp } = answer;
  if ('data' in body)
    return isOperationFact(operation) ? { ...answer, status: facts[`success of ${operation}`] } : answer;
  const { code } = body;
  if ('errors' in body) return { ...answer, status: facts['status of wrong fields'] };
  if (!isRefusalFact(code) || isOfHttp) return answer;
  const shaped = facts[`shape of ${code}`] === 'A' ? inShapeA(body) : inShapeB(body);
  return { ...answer, status: facts[`status of ${code}`], body: shaped };
}

function inShapeA({ success: _, ...body }: Body): Body {
  return { status: 'error', ...body };
}

function inShapeB({ status: _, ...body }: Body): Body {
  return { success: false, ...body };
}

function isOperationFact(operation: SandboxOperation): operation is OperationFact {
  return OPERATION_FACTS.some((name) => name === operation);
}

function isRefusalFact(code: unknown): code is RefusalFact {
  return REFUSAL_FACTS.some((name) => name === code);
}
