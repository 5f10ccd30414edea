import { PaymentsStorageError } from '../errors/payments-errors.js';

/** The version of what a store holds. */
export interface StoredVersion {
  readonly version: number;
  /** The lowest version that a build of the package must know to work on it; absent: `version` itself. */
  readonly compatibleFrom?: number | undefined;
}

/**
 * Whether a build that knows a version may work on what a store holds.
 *
 * - `older`: what it relies on is not there yet.
 * - `newer`: it would misread what is there, or leave out what others rely on.
 */
export type VersionFit = 'usable' | 'older' | 'newer';

/** A version that is no number fits no build. */
export function versionFit({ version, compatibleFrom = version }: StoredVersion, known: number): VersionFit {
  if (version < known) return 'older';
  return compatibleFrom <= known ? 'usable' : 'newer';
}

/** Why a build may not work on what is newer, as the end of a sentence about it. */
export function refusalOfNewer({ compatibleFrom }: StoredVersion, known: number): string {
  const needs =
    compatibleFrom === undefined
      ? 'does not name an older version that may use it'
      : `can be used from version ${compatibleFrom} on`;
  return `${needs}, and this version of nestjs-payments knows ${known} at most: deploy the version of the package that made it, or a newer one`;
}

/** @throws PaymentsStorageError if a build would misread the tables in a place, or not write what others rely on. */
export function refuseNewer(place: string, found: StoredVersion, known: number): void {
  if (versionFit(found, known) !== 'newer') return;
  throw new PaymentsStorageError(
    `${place} holds version ${found.version} of the tables of nestjs-payments, which ${refusalOfNewer(found, known)}.`,
  );
}
