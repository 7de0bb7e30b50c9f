/** Compares the branch coverage of folders with their floors. */

/** The branches of one module. */
export interface FileCoverage {
  /** The path of the source, relative to the root. */
  readonly file: string;
  readonly branches: number;
  /** The branches that no test took, as `LINE what`. */
  readonly untaken: readonly string[];
}

/** A line of floors.json. */
interface Floor {
  /** The percentage of branches that must be taken. It is never lowered. */
  readonly percent: number;
  /** The number of branches that were not taken in each file when the floor was raised last; files without any are left out. */
  readonly untaken: Readonly<Record<string, number>>;
}

export type Floors = Readonly<Record<string, Floor>>;

export interface FolderCoverage {
  readonly folder: string;
  readonly branches: number;
  readonly percent: number;
  readonly files: readonly FileCoverage[];
}

/** The smallest number of branches for which a second-level folder has a floor of its own. Smaller ones count for the top-level folder. */
const leastBranches = 100;
/**
 * The smallest number of branches with which a folder keeps its floor. In a smaller one, a branch that depends on the order of events is over two
 * points.
 */
const leastKept = 50;

const isIn = (file: string, folder: string): boolean => file.startsWith(`${folder}/`);
const sum = (files: readonly FileCoverage[], count: (file: FileCoverage) => number): number =>
  files.reduce((all, file) => all + count(file), 0);

function percentOf(files: readonly FileCoverage[]): number {
  const branches = sum(files, file => file.branches);
  return branches === 0 ? 100 : 100 * (1 - sum(files, file => file.untaken.length) / branches);
}

/** Returns the folders that have a floor: all top-level ones, larger second-level ones, and those that had one and are not small. */
function foldersOf(files: readonly FileCoverage[], floors: Floors): readonly string[] {
  const top = new Set(files.map(({ file }) => file.split('/')[0] ?? ''));
  const second = new Set(
    files.filter(({ file }) => file.split('/').length > 2).map(({ file }) => file.split('/').slice(0, 2).join('/')),
  );
  const large = [...second].filter(folder => {
    const inside = files.filter(({ file }) => isIn(file, folder));
    return sum(inside, file => file.branches) >= (floors[folder] === undefined ? leastBranches : leastKept);
  });
  return [...top, ...large].sort();
}

/** Returns the coverage by folder. A file counts for the innermost of the folders. */
export function byFolder(files: readonly FileCoverage[], floors: Floors): readonly FolderCoverage[] {
  const folders = foldersOf(files, floors);
  return folders
    .map(folder => {
      const inner = folders.filter(other => isIn(other, folder));
      const inside = files.filter(({ file }) => isIn(file, folder) && !inner.some(other => isIn(file, other)));
      return { folder, files: inside, branches: sum(inside, file => file.branches), percent: percentOf(inside) };
    })
    .filter(({ branches }) => branches > 0);
}

/** Returns what a folder lost; nothing if it reaches its floor. The first line names the folder, the others the files with more untaken branches. */
export function lossesOf({ folder, percent, files }: FolderCoverage, floor: Floor | undefined): readonly string[] {
  if (floor === undefined) return [`${folder} has no floor: npm run coverage -- --recorded --raise`];
  if (percent >= floor.percent) return [];
  const worse = files
    .map(({ file, untaken }) => ({ file, untaken, before: floor.untaken[file.slice(folder.length + 1)] ?? 0 }))
    .filter(({ untaken, before }) => untaken.length > before);
  return [
    `${folder} has ${percent.toFixed(2)} % of its branches taken, and its floor is ${floor.percent} %`,
    ...worse.map(
      ({ file, untaken, before }) => `  ${file}: ${untaken.length} not taken, before ${before}: ${untaken.join(', ')}`,
    ),
  ];
}

/**
 * Returns the floors for a measurement. A floor is `slack` percentage points below it, since some branches depend on the order of events, and is
 * never lower than before. Folders and files that no longer exist are dropped.
 */
export function raised(folders: readonly FolderCoverage[], floors: Floors, slack: number): Floors {
  return Object.fromEntries(
    folders.map(({ folder, percent, files }) => {
      const wanted = Math.floor((percent - slack) * 10) / 10;
      const old = floors[folder];
      if (old && old.percent >= wanted) {
        const remaining = Object.entries(old.untaken).filter(([name]) =>
          files.some(({ file }) => file === `${folder}/${name}`),
        );
        return [folder, { ...old, untaken: Object.fromEntries(remaining) }];
      }
      const missed = files.filter(({ untaken }) => untaken.length > 0);
      const untaken = missed.map(({ file, untaken }) => [file.slice(folder.length + 1), untaken.length] as const);
      return [folder, { percent: Math.max(0, wanted), untaken: Object.fromEntries(untaken) }];
    }),
  );
}
