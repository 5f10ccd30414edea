import { isRecord } from '../../common/json-object.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type StateKey } from '../core/state-key.js';

/** One part of the state as JSON. Null: the part was removed. */
export type StateEntry = readonly [key: StateKey, value: unknown];

/** The settings that a restart keeps unless its options name others. */
export interface StoredSettings {
  readonly seed?: number;
  readonly webhookSecret?: string;
  readonly clock?: 'real' | 'manual';
}

/**
 * The whole state of an emulator. It contains webhook secrets, and everything that requests contained.
 *
 * @publicApi
 */
export interface SandboxState {
  /** What this document is: always `nestjs-payments sandbox state`. */
  readonly format: typeof STATE_FORMAT.format;
  /** Version of the document. An emulator reads its own version alone. */
  readonly version: typeof STATE_FORMAT.version;
  /** Names and contents of the parts. Only an emulator reads them: they change with the version. */
  readonly parts: readonly (readonly [name: readonly string[], value: unknown])[];
}

/** The head of every file with state. */
export const STATE_FORMAT = { format: 'nestjs-payments sandbox state', version: 2 } as const;

/**
 * Checks the head of a file or an export.
 *
 * @param where The text before the problem: `The file state.jsonl`.
 * @throws PaymentsConfigError if it is something else, or of another version.
 */
export function assertFormat(head: unknown, where: string): void {
  if (!isRecord(head) || head['format'] !== STATE_FORMAT.format) {
    throw new PaymentsConfigError(
      `${where} holds no state of a sandbox: name what \`sandbox export\` wrote.`,
    );
  }
  if (head['version'] === STATE_FORMAT.version) return;
  throw new PaymentsConfigError(
    `${where} has version ${JSON.stringify(head['version'])} of the format, and this package reads version ${STATE_FORMAT.version}: use the version of the package that wrote it, or start without the state.`,
  );
}

/** The parts as one JSON value. */
export function exportState(parts: { all(): readonly StateEntry[] }): SandboxState {
  return { ...STATE_FORMAT, parts: parts.all() };
}

/**
 * The parts of an exported state.
 *
 * @param where The text before the problem.
 * @throws PaymentsConfigError if it is no exported state, or of another version.
 */
export function entriesOf(state: unknown, where: string): readonly StateEntry[] {
  assertFormat(state, where);
  const { parts } = state as SandboxState;
  if (areEntries(parts)) return parts;
  throw new PaymentsConfigError(`${where} is damaged: export the state again.`);
}

/** Whether a value has the form of entries. */
export function areEntries(value: unknown): value is readonly StateEntry[] {
  return (
    Array.isArray(value) &&
    value.every(
      (entry) =>
        Array.isArray(entry) &&
        entry.length === 2 &&
        Array.isArray(entry[0]) &&
        entry[0].every((word) => typeof word === 'string'),
    )
  );
}

/** Reads the settings out of the state. */
export function storedSettings(entries: Iterable<StateEntry>): StoredSettings {
  let settings: StoredSettings = {};
  for (const [[kind], value] of entries) {
    if (kind === 'settings') settings = { ...settings, ...(value as StoredSettings) };
    if (kind === 'clock') settings = { ...settings, clock: (value as { kind: 'real' | 'manual' }).kind };
  }
  return settings;
}
