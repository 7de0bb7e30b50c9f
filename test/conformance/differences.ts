/** Returns the differences of two JSON values, one line each, at most about 40. */
export function differences(want: unknown, got: unknown): string[] {
  const found: string[] = [];
  compare(want, got, '', found);
  return found;
}

const enough = 40;

type Members = Record<string, unknown>;

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

function brief(value: unknown): string {
  const text = value === undefined ? 'undefined' : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}

function compare(want: unknown, got: unknown, path: string, found: string[]): void {
  if (found.length > enough || want === got) return;
  if (kindOf(want) !== kindOf(got)) found.push(`${path || '.'}: want ${brief(want)}, got ${brief(got)}`);
  else if (Array.isArray(want)) compareItems(want, got as unknown[], path, found);
  else if (kindOf(want) === 'object') compareMembers(want as Members, got as Members, path, found);
  else found.push(`${path || '.'}: want ${brief(want)}, got ${brief(got)}`);
}

function compareItems(want: readonly unknown[], got: readonly unknown[], path: string, found: string[]): void {
  if (want.length !== got.length) found.push(`${path}: want ${want.length} items, got ${got.length}`);
  for (let i = 0; i < Math.min(want.length, got.length); i++) compare(want[i], got[i], `${path}[${i}]`, found);
}

function compareMembers(want: Members, got: Members, path: string, found: string[]): void {
  for (const key of new Set([...Object.keys(want), ...Object.keys(got)])) {
    const at = `${path}.${key}`;
    if (!Object.hasOwn(got, key)) found.push(`${at}: missing, want ${brief(want[key])}`);
    else if (!Object.hasOwn(want, key)) found.push(`${at}: unexpected ${brief(got[key])}`);
    else compare(want[key], got[key], at, found);
  }
}
