import { resolve } from 'node:path';
import type * as Parser from 'yaml';
import type { Document, LineCounter, Node, Pair } from 'yaml';
import { isRecord } from '../../common/json-object.js';
import { DEFAULT_MERCHANT } from '../../sandbox/core/merchant.js';
import { type PathStep, type WorldProblem } from '../../sandbox/world/form.js';
import { type SandboxWorld } from '../../sandbox/world/sandbox-world.js';
import { WorldError } from '../../sandbox/world/world-error.js';
import { worldProblems } from '../../sandbox/world/world-settings.js';
import { textOfFile, unreadable } from '../text-file.js';
import { UsageError } from '../usage-error.js';

type Yaml = typeof Parser;
type Place = (problem: WorldProblem) => string;

/** What a seed file says. */
export interface SeedFile {
  readonly world: SandboxWorld;
  /** The merchant whose keys the application gets, unless the file has the usual one. */
  readonly merchant: string;
  /** Adds the line and column to a refusal of the emulator. */
  readonly explain: <Result>(starting: Promise<Result>) => Promise<Result>;
}

/**
 * Reads a seed file, if one is named.
 *
 * @throws UsageError that names file, line and column of everything wrong. It quotes no value: some are secrets.
 */
export async function readSeedFile(name: string | undefined, folder: string): Promise<SeedFile | undefined> {
  if (name === undefined) return undefined;
  const text = contentOf(name, folder);
  // Only who has a seed file waits for the parser.
  const yaml = await import('yaml');
  return parseSeedFile(yaml, name, text);
}

function parseSeedFile(yaml: Yaml, name: string, text: string): SeedFile {
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const syntax = [...document.errors, ...document.warnings].map(
    ({ pos: [offset], message }) => `${name}:${placeAt(lines, offset)} ${message.replace(/\.?$/, '.')}`,
  );
  if (syntax.length > 0) throw new UsageError(syntax.slice(0, 10).join('\n'));
  const placeOf: Place = (problem) => `${name}:${placeAt(lines, offsetOf(yaml, document, problem))} `;
  const world = plainValue(document, name);
  const problems = [...worldProblems(world), ...keyProblems(yaml, document)];
  if (problems.length > 0) throw new UsageError(new WorldError(problems, placeOf).message);
  return {
    world: world as SandboxWorld,
    merchant: merchantOf(world as SandboxWorld),
    explain: async (starting) => {
      try {
        return await starting;
      } catch (error) {
        if (!(error instanceof WorldError)) throw error;
        throw new UsageError(new WorldError(error.problems, placeOf).message);
      }
    },
  };
}

function merchantOf({ merchants = {} }: SandboxWorld): string {
  const [first = DEFAULT_MERCHANT] = Object.keys(merchants);
  return Object.hasOwn(merchants, DEFAULT_MERCHANT) ? DEFAULT_MERCHANT : first;
}

function contentOf(name: string, folder: string): string {
  try {
    return textOfFile(resolve(folder, name));
  } catch (error) {
    throw unreadable('--seed-file', error, 'name a YAML file such as shop.yaml.');
  }
}

function plainValue(document: Document, name: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch {
    throw new UsageError(`${name}: its aliases grow too large. Repeat less.`);
  }
}

/** `7:3`, both from 1. */
function placeAt(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${line}:${col}:`;
}

/** Where a problem is. The nearest node around it, if YAML built the value from other parts. */
function offsetOf(yaml: Yaml, document: Document, { path, ofKey }: WorldProblem): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [index, step] of path.entries()) {
    const pair = pairAt(yaml, document, node, step);
    if (!pair) return offset;
    node = pair.value as Node | null;
    const meant = ofKey && index === path.length - 1 ? pair.key : (node ?? pair.key);
    offset = (meant as Node | null)?.range?.[0] ?? offset;
  }
  return offset;
}

type Step = Pick<Pair, 'key' | 'value'>;

function pairAt(yaml: Yaml, document: Document, from: Node | null, step: PathStep): Step | undefined {
  const node = yaml.isAlias(from) ? from.resolve(document) : from;
  if (yaml.isSeq(node)) return { key: null, value: node.items[Number(step)] };
  if (!yaml.isMap(node)) return undefined;
  const name = isRecord(step) ? step['privateKey'] : step;
  const own = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === name);
  if (own) return own;
  const merged = node.items.filter(({ key }) => yaml.isScalar(key) && key.source === '<<');
  for (const { value } of merged) {
    const sources = yaml.isSeq(value) ? value.items : [value];
    for (const source of sources) {
      const found = pairAt(yaml, document, source as Node | null, step);
      if (found) return found;
    }
  }
  return undefined;
}

/** Numbers as keys lose what YAML does not keep of them: `0712345678` would become 712345678. */
function keyProblems(yaml: Yaml, document: Document): readonly WorldProblem[] {
  const problems: WorldProblem[] = [];
  yaml.visit(document, {
    Pair(index, { key }, ancestors) {
      if (!yaml.isScalar(key) || typeof key.value !== 'number' || key.source === String(key.value)) return;
      const last = { privateKey: String(key.value), position: Number(index) };
      const path = [...keysOf(yaml, ancestors), last];
      problems.push({ path, message: 'is a number: write the key in quotes', ofKey: true });
    },
  });
  return problems;
}

/** The keys and positions that lead to the last of the ancestors. */
function keysOf(yaml: Yaml, ancestors: readonly unknown[]): PathStep[] {
  return ancestors.flatMap((ancestor, index): PathStep[] => {
    if (yaml.isPair(ancestor)) return yaml.isScalar(ancestor.key) ? [String(ancestor.key.value)] : [];
    const next = ancestors[index + 1];
    return yaml.isSeq(ancestor) && next !== undefined ? [ancestor.items.indexOf(next)] : [];
  });
}
