import fs from 'node:fs';

/** What `--version` prints: the version of the package. */
export function versionLine(): string {
  const file = new URL(import.meta.resolve('#package'));
  const { version } = JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string };
  return `flagship ${version}\n`;
}
