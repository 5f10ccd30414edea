import { readFileSync } from 'node:fs';
import { OptionDefaults } from 'typedoc';

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  entryPoints: Object.values(exports)
    .filter((entry) => typeof entry === 'object')
    .map((entry) => entry.import.default.replace('./dist/esm/', '../lib/').replace(/\.js$/, '.ts')),
  tsconfig: '../tsconfig.build.json',
  plugin: ['typedoc-plugin-markdown'],
  out: 'pages/api',
  entryFileName: 'index',
  hidePageHeader: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  readme: 'none',
  disableSources: true,
  sort: ['kind', 'instance-first', 'source-order'],
  excludePrivate: true,
  excludeInternal: true,
  modifierTags: [...OptionDefaults.modifierTags, '@publicApi'],
  excludeTags: [...OptionDefaults.excludeTags, '@publicApi'],
  intentionallyNotDocumented: describedWithTheirType({
    SignedPart: ['header', 'literal'],
    SignatureVerdict: ['ok', 'reason'],
    ClaimResult: ['result', 'claim', 'leaseLeftMs', 'existingEvent'],
    JournalInsertion: ['inserted', 'stored', 'tombstone'],
  }),
  validation: { notDocumented: true, rewrittenLink: true },
  treatWarningsAsErrors: true,
};

/** Members of inline types, whose meaning the type's own sentence tells. */
function describedWithTheirType(members) {
  return Object.entries(members).flatMap(([type, names]) =>
    names.map((name) => `nestjs-payments.${type}.__type.${name}`),
  );
}
