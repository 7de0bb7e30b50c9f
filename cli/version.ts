import fs from 'node:fs';

/** Returns the version of the package: `0.1.0`. */
export function packageVersion(): string {
  const file = new URL(import.meta.resolve('#package'));
  return (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Returns what `--version` prints. */
export const versionLine = (): string => `flagship ${packageVersion()}\n`;
