import t from 'tap';
import { findCommand } from '../../cli/find-command.js';

t.test('flags may stand before the command, with and without values', async t => {
  const commands = ['up', 'check', 'help'];
  const rows: readonly { readonly given: string; readonly command: string; readonly args: string }[] = [
    { given: '', command: '', args: '' },
    { given: 'up --x y', command: 'up', args: '--x y' },
    { given: '--data-dir D up --x', command: 'up', args: '--data-dir D --x' },
    { given: '--data-dir=D up', command: 'up', args: '--data-dir=D' },
    { given: '--data-dir up up', command: 'up', args: '--data-dir up' },
    { given: '--data-dir check up', command: 'up', args: '--data-dir check' },
    { given: '--profiling up', command: 'up', args: '--profiling' },
    { given: '-h up', command: 'up', args: '-h' },
    { given: 'help up', command: 'help', args: 'up' },
    { given: 'upp', command: 'upp', args: '' },
    { given: 'upp up', command: 'upp', args: 'up' },
    { given: '--data-dir D upp', command: 'upp', args: '--data-dir D' },
    { given: '--version', command: '', args: '--version' },
    { given: '-- up', command: 'up', args: '--' },
  ];
  for (const { given, command, args } of rows) {
    const found = findCommand(given === '' ? [] : given.split(' '), commands);
    t.same([found.command, found.args.join(' ')], [command, args], given);
  }
});
