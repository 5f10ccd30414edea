import { pathTemplate } from '../core/path-template.js';
import { controlOperations } from '../openapi/control.generated.js';

/** An operation of the control API's document. */
export type ControlOperation = (typeof controlOperations)[number];

/** Every operation's name. */
export type ControlOperationId = ControlOperation['id'];

/** A call that fits the document. */
export interface ControlCall {
  /** `{reference}` or `{id}` of the path, decoded. */
  readonly subject: string;
  readonly query: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A file that an operation answers with. Every other answer is JSON. */
export class ControlFile {
  constructor(
    readonly name: string,
    readonly contentType: string,
    readonly text: string,
  ) {}
}

/** Answers a call, or throws a ControlProblem. */
export type ControlHandler = (call: ControlCall) => unknown;

/** An operation with the subject that its path names. */
export interface FoundOperation {
  readonly operation: ControlOperation;
  /** `{reference}` or `{id}` of the path, encoded; empty if the path has neither. */
  readonly subject: string;
}

const ROUTES = controlOperations.map((operation) => ({ operation, matchPath: pathTemplate(operation.path) }));

/** Finds the operations of a path below `/_sandbox/v1`, of any method. */
export function operationsAt(path: string): readonly FoundOperation[] {
  return ROUTES.flatMap(({ operation, matchPath }) => {
    const parameters = matchPath(path);
    return parameters ? [{ operation, subject: Object.values(parameters)[0] ?? '' }] : [];
  });
}
