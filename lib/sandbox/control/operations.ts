import { pathTemplate } from '../core/path-template.js';
import { controlOperations } from '../openapi/control.generated.js';

/** An operation of the control API, as its document has it. */
export type ControlOperation = (typeof controlOperations)[number];

/** Every operation's name. */
export type ControlOperationId = ControlOperation['id'];

/** What a call asks for, after it was checked against the document. */
export interface ControlCall {
  /** `{reference}` or `{id}` of the path, decoded. */
  readonly subject: string;
  readonly query: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a call, or throws why not. */
export type ControlHandler = (call: ControlCall) => unknown;

/** An operation that a path leads to. */
export interface FoundOperation {
  readonly operation: ControlOperation;
  /** `{reference}` or `{id}` as it stands in the path; empty where there is none. */
  readonly subject: string;
}

const ROUTES = controlOperations.map((operation) => ({ operation, matchPath: pathTemplate(operation.path) }));

/** What a path below `/_sandbox/v1` leads to, whatever the method. */
export function operationsAt(path: string): readonly FoundOperation[] {
  return ROUTES.flatMap(({ operation, matchPath }) => {
    const parameters = matchPath(path);
    return parameters ? [{ operation, subject: Object.values(parameters)[0] ?? '' }] : [];
  });
}
