import { type SandboxOperation } from '../../core/operation-name.js';
import { NextCall, type PlannedFault } from '../../faults/next-call.js';
import { ControlProblem } from '../control-problem.js';
import { sandboxFault, sandboxFaults } from '../record-mappers.js';
import { type ControlCall } from '../control-operations.js';
import { optionalDuration, optionalFlag, optionalNumber, optionalText, text } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

type Body = ControlCall['body'];

/** Optional fields of a fault, each with the kinds that use it. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  status: ['status', 'html'],
  retry_after: ['status'],
  code: ['status'],
  after_processing: ['status', 'html'],
  duration: ['delay', 'drip'],
};
const NEEDED = ['status', 'duration'];

/** Planned faults. */
export function faultHandlers({ faults }: SandboxParts) {
  return {
    listFaults: () => sandboxFaults(faults.list()),
    addFault: ({ body }: ControlCall) => {
      checkFields(body);
      const next = new NextCall(faults, text(body, 'operation') as SandboxOperation, {
        reference: optionalText(body, 'reference'),
        merchant: optionalText(body, 'merchant'),
      });
      const planned = plan(next, body);
      const times = optionalNumber(body, 'times');
      const probability = optionalNumber(body, 'probability');
      if (times !== undefined) planned.times(times);
      if (probability !== undefined) planned.probability(probability);
      return faults.list().map(sandboxFault).at(-1);
    },
    removeFault: ({ subject }: ControlCall) => {
      const fault = faults.remove(subject);
      if (fault) return sandboxFault(fault);
      const message = `There is no fault ${subject}: GET /faults lists the planned ones.`;
      throw new ControlProblem(404, 'NOT_FOUND', message);
    },
  };
}

function plan(next: NextCall, body: Body): PlannedFault {
  const kind = text(body, 'kind');
  const status = optionalNumber(body, 'status') ?? 0;
  const duration = optionalDuration(body, 'duration') ?? 0;
  switch (kind) {
    case 'status':
      return next.status(status, statusOptions(body));
    case 'html':
      return next.html(status, processing(body));
    case 'delay':
      return next.delay(duration);
    case 'drip':
      return next.drip(duration);
    default:
      return next[
        kind as 'dropBefore' | 'dropAfterProcessing' | 'reset' | 'partialBody' | 'malformedJson' | 'hang'
      ]();
  }
}

function statusOptions(body: Body) {
  const retryAfter = optionalNumber(body, 'retry_after');
  const code = optionalText(body, 'code');
  return {
    ...processing(body),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(code !== undefined && { code }),
  };
}

function processing(body: Body) {
  const afterProcessing = optionalFlag(body, 'after_processing');
  return afterProcessing === undefined ? {} : { afterProcessing };
}

/** Refuses a field of another kind, instead of ignoring it silently. */
function checkFields(body: Body): void {
  const kind = text(body, 'kind');
  for (const [field, kinds] of Object.entries(FIELDS)) {
    const given = body[field] !== undefined;
    if (given && !kinds.includes(kind)) {
      throw invalid(`\`${field}\` belongs to the kinds ${kinds.join(' and ')}: leave it out for ${kind}.`);
    }
    if (!given && kinds.includes(kind) && NEEDED.includes(field)) {
      const example = field === 'status' ? '503' : '"2s"';
      throw invalid(`\`${field}\` is missing: the kind ${kind} needs it, for example ${example}.`);
    }
  }
}

function invalid(message: string): ControlProblem {
  return new ControlProblem(422, 'INVALID_BODY', message);
}
