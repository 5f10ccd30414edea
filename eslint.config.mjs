import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** A sentence with one of these has no real subject, or names no duration: say who does it, and for how long. */
const UNPLAIN_WORDS = [
  'whoever',
  'whomever',
  'anybody',
  'everybody',
  'for ever',
  'anew',
  'so long',
  'all the time',
];
const HAS_UNPLAIN_WORD = `/\\b(${UNPLAIN_WORDS.join('|')})\\b/i`;
const USE_PLAIN_WORDS = `Write a plain English sentence without ${UNPLAIN_WORDS.join(', ')}.`;
const UNPLAIN_TEXTS = [
  { selector: `Literal[value=${HAS_UNPLAIN_WORD}]`, message: USE_PLAIN_WORDS },
  { selector: `TemplateElement[value.raw=${HAS_UNPLAIN_WORD}]`, message: USE_PLAIN_WORDS },
];
const PRIVATE_FIELDS = {
  selector: 'PropertyDefinition > PrivateIdentifier',
  message: '#private fields break under proxies that Nest makes: use `private`.',
};
const STORAGES_OF_MANY = {
  selector: [
    ':matches(PropertyDefinition, :function)',
    // What `??=` makes is made once.
    'NewExpression[callee.name=/^(AsyncLocalStorage|OwnerContext)$/]:not(AssignmentExpression[operator="??="][left.type="Identifier"] > *)',
  ].join(' '),
  message:
    'Before Node.js 24 every AsyncLocalStorage that has run makes all later promises slower: make one in the module (OwnerContext).',
};

export default tseslint.config(
  // The packed-consumer applications are checked as their own users would, by test/consumers/run.mjs; the skeletons are
  // what `nest new` makes.
  {
    ignores: [
      '**/dist/',
      '**/node_modules/',
      'coverage/',
      'site/pages/',
      '**/*.generated.{ts,js}',
      'test/consumers/{application,nest*}/',
      'test/skeletons/',
      'sample/06-nest11-commonjs/',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    // One program for everything: a sample's own tsconfig.json would mean the built package.
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, argsIgnorePattern: '^_' }],
      'no-restricted-syntax': ['error', PRIVATE_FIELDS],
      'no-console': 'error',
    },
  },
  {
    files: ['lib/**/*.ts'],
    rules: {
      complexity: ['error', 15],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
    },
  },
  {
    files: ['lib/**/*.{ts,js}'],
    rules: {
      'no-warning-comments': ['error', { terms: UNPLAIN_WORDS, location: 'anywhere' }],
      'no-restricted-syntax': ['error', ...UNPLAIN_TEXTS],
    },
  },
  {
    files: ['lib/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', PRIVATE_FIELDS, STORAGES_OF_MANY, ...UNPLAIN_TEXTS] },
  },
  {
    files: ['test/**/*.ts', 'sample/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // Nest declares the options of an application as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: {
        Buffer: 'readonly',
        console: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
);
