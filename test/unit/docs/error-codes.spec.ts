import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { type ExecutionContext, type HttpException } from '@nestjs/common';
import {
  PaymentOutcomeUnknownError,
  PaymentsError,
  PaymentsErrorInterceptor,
  type OutcomeEvidence,
} from 'nestjs-payments';
import { lastValueFrom, throwError } from 'rxjs';
import ts from 'typescript';
import { type GatewayCodeEffect, GATEWAY_CODES } from '../../../lib/errors/gateway-codes.js';

/** Has a table of every code: code, status of the interceptor, what it means, what to do. */
const PAGE = 'docs/errors.md';
const HEADING = '## Every code';

/** What an error may take its code from, if it is no text: an error that is passed on, or the answer of the gateway. */
const PASSED_ON: readonly string[] = ['code', 'error.code', 'codeOf(report)'];
/** A refusal without a code. */
const WITHOUT_CODE = 'HTTP_<status>';

/** What fails a job of a queue, and no call. */
const OF_JOBS: readonly string[] = ['CHUNK_OPEN', 'LOOKUP_FAILED'];

interface Thrown {
  readonly code: string;
  readonly file: string;
  /** Of the class whose constructor gets it. */
  readonly className: string;
}

interface ErrorClass {
  readonly node: ts.ClassDeclaration;
  readonly name: string;
  readonly base: string;
}

const FILES = readdirSync('lib', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('lib', file).split(sep).join(posix.sep))
  .map((file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));

function nodesIn(node: ts.Node): readonly ts.Node[] {
  const nodes: ts.Node[] = [node];
  node.forEachChild((child) => void nodes.push(...nodesIn(child)));
  return nodes;
}

const NODES = FILES.flatMap(nodesIn);

/** The classes of errors, by their names: each extends PaymentsError, or another one of them. */
const CLASSES: ReadonlyMap<string, ErrorClass> = errorClasses();

function errorClasses(): ReadonlyMap<string, ErrorClass> {
  const declared = NODES.filter(ts.isClassDeclaration).flatMap((node): readonly ErrorClass[] => {
    const base = node.heritageClauses?.flatMap(({ types }) => types)[0]?.expression.getText() ?? '';
    return node.name ? [{ node, name: node.name.text, base }] : [];
  });
  const found = new Map(
    declared.filter(({ name }) => name === 'PaymentsError').map((each) => [each.name, each]),
  );
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const each of declared) if (found.has(each.base)) found.set(each.name, each);
  }
  return found;
}

/** Whether the first argument of the constructor of a class is a code. */
function takesCode(name: string): boolean {
  const found = CLASSES.get(name);
  if (!found) return false;
  const [constructor] = found.node.members.filter(ts.isConstructorDeclaration);
  return constructor ? constructor.parameters[0]?.name.getText() === 'code' : takesCode(found.base);
}

/** The class whose constructor a call runs, if it is one of an error that takes a code. */
function errorMadeBy(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node)) {
    const name = node.expression.getText();
    return takesCode(name) ? name : undefined;
  }
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.SuperKeyword) return undefined;
  const inside = [...CLASSES.values()].find(({ node: { pos, end }, node: owner }) => {
    return owner.getSourceFile() === node.getSourceFile() && pos <= node.pos && node.end <= end;
  });
  return inside && takesCode(inside.base) ? inside.name : undefined;
}

const thrown: Thrown[] = [];
const unread: string[] = [];
for (const node of NODES) {
  const className = errorMadeBy(node);
  const [first] = className === undefined ? [] : ((node as ts.NewExpression).arguments ?? []);
  if (className !== undefined && first) readCode(first, className);
  if (!ts.isPropertyDeclaration(node) || node.name.getText() !== 'code' || !node.initializer) continue;
  const owner = ts.isClassDeclaration(node.parent) ? (node.parent.name?.text ?? '') : '';
  if (CLASSES.has(owner)) readCode(node.initializer, owner);
}

function readCode(expression: ts.Expression, className: string): void {
  const { fileName } = expression.getSourceFile();
  const texts = nodesIn(expression).filter(ts.isStringLiteral);
  thrown.push(...texts.map(({ text }) => ({ code: text, file: fileName, className })));
  if (texts.length === 0 && !PASSED_ON.includes(expression.getText()))
    unread.push(`${fileName}: ${expression.getText()}`);
}

const table = new Map(
  (readFileSync(PAGE, 'utf8').split(`${HEADING}\n`)[1] ?? '')
    .split(/^## /m)[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, codes = '', status = '', ...rest] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return [...codes.matchAll(/`([^`]+)`/g)].map(([, code = '']) => [code, { status, rest }] as const);
    }),
);

/** The class that applications know: only those have a name of their own. */
function publicName(className: string): string {
  const found = CLASSES.get(className);
  if (!found) throw new Error(`There is no class ${className}.`);
  const name = found.node.members.find(
    (member): member is ts.PropertyDeclaration =>
      ts.isPropertyDeclaration(member) && member.name.getText() === 'name',
  );
  const { initializer } = name ?? {};
  return initializer && ts.isStringLiteral(initializer) ? initializer.text : publicName(found.base);
}

/** What a route may answer: no route runs a command or the emulator. */
const answered = thrown.filter(
  ({ file, code }) => !/^lib\/(cli|sandbox)\//.test(file) && !OF_JOBS.includes(code),
);

/** A refused webhook brings its status along. */
function named(code: string, status: number): string {
  return code === 'WEBHOOK_REFUSED' ? 'its `status`' : String(status);
}

async function statusOf(error: PaymentsError): Promise<number> {
  const failing = new PaymentsErrorInterceptor().intercept({} as ExecutionContext, {
    handle: () => throwError(() => error),
  });
  const answer = (await lastValueFrom(failing).catch((caught: unknown) => caught)) as HttpException;
  return answer.getStatus();
}

function anError(name: string, code: string): PaymentsError {
  return Object.assign(new PaymentsError(code, 'no'), { name });
}

/** The error of a payment that got a code of the gateway. */
function gatewayError(code: string, effect: GatewayCodeEffect): PaymentsError {
  if (effect === 'refused') return anError('PaymentRejectedError', code);
  if (effect === 'unauthorized') return anError('PaymentsAuthenticationError', code);
  return new PaymentOutcomeUnknownError(effect satisfies OutcomeEvidence, 'no');
}

/** The error of a read, for which the provider is asked, too; it has no outcome that could be unknown. */
function readErrors(code: string, effect: GatewayCodeEffect): readonly PaymentsError[] {
  return effect === 'provider-error' ? [anError('GatewayAnswerError', code)] : [];
}

describe(`${PAGE}: ${HEADING}`, () => {
  it('is compared with what lib throws', () => {
    expect(thrown.length).toBeGreaterThan(50);
    const made = thrown.map(({ code, className }) => `${code} ${className}`);
    expect(made).toContain('BATCH_APPROVAL PaymentsError');
    expect(made).toContain('ENTRY_FORGOTTEN JournalEntryError');
    expect(made).toContain('RATE_LIMITED PaymentsRateLimitError');
    expect(made).toContain('DAILY_CAP_REACHED DailyCapReachedError');
    // Write the code as a text where the error is made, so that it is found here.
    expect(unread).toEqual([]);
  });

  it('has every code that lib throws, and no other', () => {
    const known = [...thrown.map(({ code }) => code), ...Object.keys(GATEWAY_CODES), WITHOUT_CODE];
    expect([...table.keys()].sort()).toEqual([...new Set(known)].sort());
  });

  it('says of each what it means and what to do', () => {
    for (const [code, { rest }] of table)
      expect([code, ...rest]).toEqual([code, expect.stringMatching(/\w/), expect.stringMatching(/\w/), '']);
  });

  it.each([...new Map(answered.map((each) => [`${each.code} ${each.className}`, each])).values()])(
    'names the status of $code, made by $className',
    async ({ code, className }) => {
      const status = await statusOf(anError(publicName(className), code));
      expect(table.get(code)?.status.split(', or ')).toContain(named(code, status));
    },
  );

  it('names no status of what no route answers', () => {
    const codes = thrown
      .map(({ code }) => code)
      .filter((code) => !answered.some((each) => each.code === code));
    expect(codes).toContain('SANDBOX_NOT_FOUND');
    for (const code of [...codes, ...OF_JOBS]) expect([code, table.get(code)?.status]).toEqual([code, '–']);
  });

  it.each(Object.entries(GATEWAY_CODES))(
    'names the status of %s of the gateway',
    async (code, { effect }) => {
      const errors = [gatewayError(code, effect), ...readErrors(code, effect)];
      const statuses = await Promise.all(errors.map(statusOf));
      expect(table.get(code)?.status).toBe(statuses.join(', or '));
    },
  );
});
