import { SANDBOX_OPERATIONS, type SandboxOperation } from './operation-name.js';
import { type PathParameters, pathTemplate } from './path-template.js';

/** The path prefix of the gateway's operations. */
export const GATEWAY_PREFIX = '/api/v1';

/** The operation that a request calls. */
export interface RoutedCall {
  readonly operation: SandboxOperation;
  /** Percent-decoded. */
  readonly parameters: PathParameters;
}

const ROUTES = SANDBOX_OPERATIONS.map((operation) => {
  const [method = '', path = ''] = operation.split(' ');
  return { operation, method, matchPath: pathTemplate(path), parameters: path.split('{').length - 1 };
}).sort((one, other) => one.parameters - other.parameters); // paths without parameters come first

/** Finds the operation of a method and a path below `/api/v1`. */
export function findOperation(method: string, path: string): RoutedCall | undefined {
  for (const route of ROUTES) {
    if (route.method !== method) continue;
    const parameters = decoded(route.matchPath(path));
    if (parameters) return { operation: route.operation, parameters };
  }
  return undefined;
}

/** Finds the methods of a path; an unknown path has none. */
export function methodsOf(path: string): readonly string[] {
  const routes = ROUTES.filter(({ matchPath }) => decoded(matchPath(path)));
  return [...new Set(routes.map(({ method }) => method))];
}

/** Finds the operation of a recorded request. */
export function operationOf({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): RoutedCall | undefined {
  const [plain = ''] = path.split('?', 1);
  return plain.startsWith(GATEWAY_PREFIX)
    ? findOperation(method, plain.slice(GATEWAY_PREFIX.length))
    : undefined;
}

/** Returns undefined for malformed percent-encoding. */
function decoded(parameters: PathParameters | undefined): PathParameters | undefined {
  if (!parameters) return undefined;
  try {
    return Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    return undefined;
  }
}
