import tseslint from 'typescript-eslint';

export default [
  { ignores: ['dist/', 'node_modules/', 'openapi/gen/', 'test/data/'] },
  ...tseslint.configs.recommendedTypeChecked.map(config => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
      'no-eval': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
        { selector: 'CallExpression[callee.property.name="waitForTimeout"]', message: 'Wait for conditions.' },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'prefer-const': 'error',
    },
  },
  {
    // The other folders take methods that do not use `this` out of objects; a function that may be taken out is declared as a property.
    files: [
      '{lib,apimachinery,api,client,storage,openapi,registry,kinds,admission,authn,apiserver,aggregation,server}/**/*.ts',
      '{simulator,cli,bench,test,tools}/**/*.ts',
    ],
    rules: { '@typescript-eslint/unbound-method': ['error', { ignoreStatic: true }] },
  },
  {
    files: ['tools/**', 'cli/**', 'bench/**', 'test/**'],
    rules: { 'no-console': 'off', '@typescript-eslint/no-floating-promises': 'off' },
  },
];
