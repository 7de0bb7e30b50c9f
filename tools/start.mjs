// `npm start`: builds, then runs `flagship up --members 2` with further arguments.
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
