import { type Fault } from '../core/fault.js';
import { type PlannedCallFault } from '../http/faults.js';
import { type SandboxFault } from './control-resources.js';

/** What the control API shows of a fault that waits. */
export function sandboxFault(planned: PlannedCallFault): SandboxFault {
  const { id, operation, reference, merchant, fault, left, probability } = planned;
  const options = fault.kind === 'status' ? fault.options : {};
  return {
    id,
    operation,
    reference: reference ?? null,
    merchant: merchant ?? null,
    kind: fault.kind,
    status: 'status' in fault ? fault.status : null,
    retry_after: options.retryAfter ?? null,
    code: options.code ?? null,
    duration_ms: durationOf(fault),
    left: Number.isFinite(left) ? left : null,
    probability,
  };
}

function durationOf(fault: Fault): number | null {
  if (fault.kind === 'delay') return fault.delayMs;
  return fault.kind === 'drip' ? fault.everyMs : null;
}
