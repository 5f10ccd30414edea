import { expect, it } from 'vitest';
import { refusalOfNewer, versionFit, type VersionFit } from '../../../lib/storage/stored-version.js';

it.each<[string, number, number | undefined, VersionFit]>([
  ['the version that it knows', 5, 5, 'usable'],
  ['the version that it knows, with older builds beside it', 5, 3, 'usable'],
  ['the version that it knows, from a time without compatibility', 5, undefined, 'usable'],
  ['an older version', 4, 4, 'older'],
  ['no version yet', 0, undefined, 'older'],
  ['a newer version that it may use', 7, 5, 'usable'],
  ['a newer version that still older builds may use', 7, 3, 'usable'],
  ['a newer version that it would misread', 7, 6, 'newer'],
  ['a newer version that does not say who may use it', 7, undefined, 'newer'],
  ['what is no version', Number.NaN, undefined, 'newer'],
  ['a newer version with what is no version beside it', 7, Number.NaN, 'newer'],
])('finds %s', (_name, version, compatibleFrom, fit) => {
  expect(versionFit({ version, compatibleFrom }, 5)).toBe(fit);
});

const REMEDY =
  'and this version of nestjs-payments knows 5 at most: deploy the version of the package that made it, or a newer one';

it.each<[string, number | undefined, string]>([
  ['that older builds may use', 6, 'can be used from version 6 on'],
  ['that does not say who may use it', undefined, 'does not name an older version that may use it'],
])('says of a newer version %s why this build may not work on it', (_, compatibleFrom, why) => {
  expect(refusalOfNewer({ version: 7, compatibleFrom }, 5)).toBe(`${why}, ${REMEDY}`);
});
