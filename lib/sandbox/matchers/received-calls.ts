import { isHolder } from '../../common/json-object.js';
import { type SandboxRequest } from '../core/request-journal.js';
import { isTruncated } from '../http/truncate-text.js';
import { ANSWER_STATUS, fewestOf, misfits } from './expected-fields.js';
import { type MatcherContext } from './matcher-result.js';

interface ComparedCalls {
  /** How many fit. */
  readonly found: number;
  /** How many may fit: the journal cut the body before a field that is asked for. */
  readonly unclear: number;
  /** How the nearest call differs. */
  readonly misfits: readonly string[];
}

/** Compares calls with the fields of a body and the status of the answer. */
export function compareCalls(
  context: MatcherContext,
  requests: readonly SandboxRequest[],
  wanted: Readonly<Record<string, unknown>>,
): ComparedCalls {
  const calls = requests.map((request) => {
    const fields = knownFields(request);
    const hidden = isTruncated(request.body) ? Object.keys(wanted).filter((name) => !(name in fields)) : [];
    const comparable = Object.entries(wanted).filter(([name]) => !hidden.includes(name));
    return { hidden, misfits: misfits(context, fields, Object.fromEntries(comparable)) };
  });
  const fitting = calls.filter((call) => call.misfits.length === 0);
  const unclear = fitting.filter(({ hidden }) => hidden.length > 0).length;
  return {
    found: fitting.length - unclear,
    unclear,
    misfits: fewestOf(calls.map((call) => call.misfits)),
  };
}

/** The fields of a call that the journal knows. The reference stands beside a body, so a cut one has it too. */
function knownFields({ body, reference, status }: SandboxRequest): Readonly<Record<string, unknown>> {
  return {
    ...(isTruncated(body) && reference !== null && !isTruncated(reference) && { reference }),
    ...(isHolder(body) && body),
    [ANSWER_STATUS]: status,
  };
}
