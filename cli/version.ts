import fs from 'node:fs';

/** What `--version` prints: the version of the package. */
export function versionLine(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string };
  return `flagship ${version}\n`;
}
