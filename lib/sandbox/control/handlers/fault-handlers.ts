import { type SandboxOperation } from '../../core/operation-name.js';
import { NextCall, type PlannedFault } from '../../faults/next-call.js';
import { ControlProblem } from '../control-problem.js';
import { type SandboxFault } from '../resources.js';
import { sandboxFault, sandboxFaults } from '../record-mappers.js';
import { type ControlCall } from '../control-operations.js';
import { optionalDuration, optionalNumber, optionalText, text } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

type Body = ControlCall['body'];

/** Optional fields of a fault, each with the kinds that use it. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  status: ['status', 'html'],
  retry_after: ['status'],
  code: ['status'],
  duration: ['delay', 'drip'],
};
const NEEDED = ['status', 'duration'];

/** Planned faults. */
export function faultHandlers({ faults }: SandboxParts) {
  const find = (id: string): SandboxFault | undefined => {
    const planned = faults.list().find((fault) => fault.id === id);
    return planned && sandboxFault(planned);
  };
  return {
    listFaults: () => sandboxFaults(faults.list()),
    addFault: ({ body }: ControlCall) => {
      checkFields(body);
      const selection = {
        reference: optionalText(body, 'reference'),
        merchant: optionalText(body, 'merchant'),
      };
      const given = Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined));
      const planned = plan(new NextCall(faults, text(body, 'operation') as SandboxOperation, given), body);
      const times = optionalNumber(body, 'times');
      const probability = optionalNumber(body, 'probability');
      if (times !== undefined) planned.times(times);
      if (probability !== undefined) planned.probability(probability);
      return faults.list().map(sandboxFault).at(-1);
    },
    removeFault: ({ subject }: ControlCall) => {
      const fault = find(subject);
      if (fault && faults.remove(subject)) return fault;
      throw new ControlProblem(
        404,
        'NOT_FOUND',
        `There is no fault ${subject}: GET /faults lists the planned ones.`,
      );
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
      return next.html(status);
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
  return { ...(retryAfter !== undefined && { retryAfter }), ...(code !== undefined && { code }) };
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
