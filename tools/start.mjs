// `npm start`: a built tree, then `flagship up --members 2` (further arguments are handed on).
import './build.mjs';
import process from 'node:process';

process.argv = [
  process.argv[0],
  new URL('../dist/cli/flagship.js', import.meta.url).pathname,
  'up',
  '--members',
  '2',
  ...process.argv.slice(2),
];
await import('../dist/cli/flagship.js');
