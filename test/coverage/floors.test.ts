/** Floors of folders: when they are kept, and how they are raised. */
import t from 'tap';
import { byFolder, type FileCoverage, type Floors, type FolderCoverage, lossesOf, raised } from './floors.js';

const file = (name: string, branches: number, ...untaken: readonly string[]): FileCoverage => ({
  file: name,
  branches,
  untaken,
});
const folder = (name: string, percent: number, ...files: readonly FileCoverage[]): FolderCoverage => ({
  ...{ folder: name, percent, files, branches: files.reduce((sum, { branches }) => sum + branches, 0) },
});

t.test('large second-level folders have a floor of their own', async t => {
  const files = [
    file('lib/a.ts', 10, '1 if'),
    file('lib/small/b.ts', 30),
    file('lib/shrunk/e.ts', 60),
    file('lib/large/c.ts', 100, '1 if', '2 if'),
    file('lib/large/deep/d.ts', 100),
  ];
  const shown = (floors: Floors) =>
    byFolder(files, floors).map(({ folder, branches, percent }) => `${folder} ${branches} ${percent}`);
  t.strictSame(shown({}), ['lib 100 99', 'lib/large 200 99']);
  t.strictSame(
    shown({ 'lib/small': { percent: 90, untaken: {} }, 'lib/shrunk': { percent: 90, untaken: {} } }),
    ['lib 40 97.5', 'lib/large 200 99', 'lib/shrunk 60 100'],
    'a folder keeps its floor, unless it is small',
  );
  t.strictSame(byFolder([], {}), []);
});

t.test('a folder below its floor tells which files lost', async t => {
  const given = folder(
    'lib/x',
    96,
    file('lib/x/a.ts', 50, '3 if', '9 else'),
    file('lib/x/b.ts', 25, '1 if'),
    file('lib/x/deep/c.ts', 25, '2 catch'),
  );
  const floor = { percent: 97, untaken: { 'a.ts': 1, 'b.ts': 1 } };
  t.strictSame(lossesOf(given, floor), [
    'lib/x has 96.00 % of its branches taken, and its floor is 97 %',
    '  lib/x/a.ts: 2 not taken, before 1: 3 if, 9 else',
    '  lib/x/deep/c.ts: 1 not taken, before 0: 2 catch',
  ]);
  t.strictSame(lossesOf(given, { ...floor, percent: 96 }), [], 'at the floor');
  t.strictSame(lossesOf(given, undefined), ['lib/x has no floor: npm run coverage -- --recorded --raise']);
});

t.test('floors are raised, and never lowered; files that are gone are dropped', async t => {
  const old: Floors = {
    up: { percent: 90, untaken: { 'a.ts': 2 } },
    down: { percent: 90, untaken: { 'b.ts': 1, 'gone.ts': 3 } },
    gone: { percent: 1, untaken: {} },
  };
  const folders = [
    folder('up', 95.67, file('up/a.ts', 9, '1 if'), file('up/b.ts', 9)),
    folder('down', 80, file('down/b.ts', 9, '1 if')),
    folder('new', 0.2),
  ];
  t.strictSame(raised(folders, old, 0.5), {
    up: { percent: 95.1, untaken: { 'a.ts': 1 } },
    down: { percent: 90, untaken: { 'b.ts': 1 } },
    new: { percent: 0, untaken: {} },
  });
});
