import type ts from 'typescript';
import { type Compiler } from './compiler.js';
import { decoratorsOf } from './decorators.js';
import { propertyName } from './module-class.js';
import { type SourceCode, sourceCode } from './source-code.js';

const NEST = '@nestjs/common';
const ROUTE = '/webhooks/payments';

/** Finds the first file with a controller that answers `POST /webhooks/payments`, and is not one for this package. */
export function takenRouteIn(
  files: readonly { readonly file: string; readonly text: string }[],
  compiler: Compiler,
): string | undefined {
  return files
    .filter(({ text }) => /\bController\b/.test(text) && /\b(?:Post|All)\b/.test(text))
    .find(({ file, text }) => answers(sourceCode(compiler, file, text)))?.file;
}

function answers(code: SourceCode): boolean {
  return code.source.statements.filter(code.compiler.isClassDeclaration).some((declared) => {
    const ours = declared.members.flatMap((member) =>
      decoratorsOf(code, member, 'PaymentsWebhook', 'nestjs-payments'),
    );
    const above = decoratorsOf(code, declared, 'Controller', NEST).flatMap((call) => pathsOf(code, call));
    const own = declared.members.flatMap((member) => methodPaths(code, member));
    return ours.length === 0 && above.some((path) => own.some((end) => isRoute(`${path}/${end}`)));
  });
}

function methodPaths(code: SourceCode, member: ts.ClassElement): readonly string[] {
  if (decoratorsOf(code, member, 'Version', NEST).length > 0) return [];
  return ['Post', 'All']
    .flatMap((name) => decoratorsOf(code, member, name, NEST))
    .flatMap((call) => pathsOf(code, call));
}

/** The paths that a decorator names in its own argument; none if they are elsewhere, or have a version. */
function pathsOf({ compiler, source }: SourceCode, call: ts.CallExpression): readonly string[] {
  const [argument] = call.arguments;
  if (!argument || !compiler.isObjectLiteralExpression(argument)) return textsOf(compiler, argument);
  const property = (wanted: string): ts.Expression | undefined =>
    argument.properties
      .filter(compiler.isPropertyAssignment)
      .find(({ name }) => propertyName(compiler, name) === wanted)?.initializer;
  const version = property('version');
  const hasVersion = version !== undefined && !version.getText(source).includes('VERSION_NEUTRAL');
  return hasVersion ? [] : textsOf(compiler, property('path'));
}

function textsOf(compiler: Compiler, node: ts.Expression | undefined): readonly string[] {
  if (!node) return [''];
  const nodes: readonly ts.Expression[] = compiler.isArrayLiteralExpression(node) ? node.elements : [node];
  return nodes.flatMap((one) => (compiler.isStringLiteralLike(one) ? [one.text] : []));
}

/** Whether a path is the route, with its parameters and what stands for any text. Express does not tell cases apart. */
function isRoute(path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '');
  const pattern = parts.map((part) => `/${patternOf(part)}`).join('');
  // A controller of every path answers what no other one does: it stays as it is.
  return !parts[0]?.includes('*') && new RegExp(`^${pattern}$`, 'i').test(ROUTE);
}

function patternOf(part: string): string {
  if (part.startsWith(':')) return '[^/]+';
  return part.includes('*') ? '.+' : part.replaceAll(/[^\w-]/g, String.raw`\$&`);
}
