/** Serves /statusz and /flagz: versions and flags of the server, as text, or structured with `as=` in the Accept header. */
import process from 'node:process';
import { notAcceptable } from '../../apimachinery/errors/status.js';
import { formatTime } from '../../lib/go/time.js';
import { answer } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { mediaTypes } from '../negotiate/accept.js';
import { writeYaml } from '../../lib/yaml/write-yaml.js';
import { versionInfo } from './version.js';

const component = 'apiserver';
const group = 'config.k8s.io';
const version = 'v1beta1';

const head = (page: string): string => `
${component} ${page}
Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.
`;

interface Page {
  readonly kind: string;
  text(): string;
  fields(): object;
}

/** Returns the format for the first clause of the header that is supported; undefined when there is none. */
function formatOf(accept: string | undefined, kind: string): 'text' | 'json' | 'yaml' | undefined {
  if (accept === undefined || accept.trim() === '') return 'text';
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map(part => part.trim());
    const values = new Map(parameters.map(part => part.split('=') as [string, string]));
    const structured = values.get('as') === kind && values.get('g') === group && values.get('v') === version;
    if (structured && type === mediaTypes.json) return 'json';
    if (structured && type === mediaTypes.yaml) return 'yaml';
    if (!values.has('as') && ['text/plain', 'text/*', '*/*'].includes(type)) return 'text';
  }
  return undefined;
}

const types = ['text/plain', mediaTypes.json, mediaTypes.yaml];

function servePage(request: Request, page: Page): void {
  const format = formatOf(request.header('accept'), page.kind);
  if (!format) throw notAcceptable(types);
  if (format === 'text') return answer(request, 200, 'text/plain; charset=utf-8', Buffer.from(page.text()));
  const metadata = { name: component };
  const object = { kind: page.kind, apiVersion: `${group}/${version}`, metadata, ...page.fields() };
  const text = format === 'json' ? `${JSON.stringify(object)}\n` : writeYaml(object);
  answer(request, 200, mediaTypes[format], Buffer.from(text));
}

const pad = (n: number): string => String(n).padStart(2, '0');

/** Returns a duration as `0 hr 01 min 02 sec`. */
const uptimeText = (seconds: number): string =>
  `${Math.floor(seconds / 3600)} hr ${pad(Math.floor(seconds / 60) % 60)} min ${pad(seconds % 60)} sec`;

interface StatuszDeps {
  readonly started: Date;
  /** The version of Flagship. */
  readonly version: string;
  /** Returns the paths with information about the server. */
  readonly paths: () => readonly string[];
}

/**
 * as apiserver/pkg/server/statusz/statusz.go
 * differs: the versions of Flagship and of Node.js replace that of Go, and the binary version is that of the API.
 */
export function statusz({ started, version: flagshipVersion, paths }: StatuszDeps): RequestFilter {
  const seconds = (): number => Math.max(0, Math.floor((Date.now() - started.getTime()) / 1000));
  const binary = versionInfo.gitVersion.slice(1);
  const emulation = `${versionInfo.emulationMajor}.${versionInfo.emulationMinor}`;
  const page: Page = {
    kind: 'Statusz',
    text: () =>
      `${head('statusz')}
Started: ${started.toUTCString()}
Up: ${uptimeText(seconds())}
Flagship version: ${flagshipVersion}
Node.js version: ${process.version}
Binary version: ${binary}
Emulation version: ${emulation}
Paths: ${paths().join(' ')}
`,
    fields: () => ({
      startTime: formatTime(started),
      uptimeSeconds: seconds(),
      goVersion: '',
      flagshipVersion,
      nodeVersion: process.version,
      binaryVersion: binary,
      emulationVersion: emulation,
      paths: paths(),
    }),
  };
  return request => servePage(request, page);
}

/** Serves all flags of the server, including those with default values. as apiserver/pkg/server/flagz/flagz.go */
export function flagz(flags: Readonly<Record<string, string>>): RequestFilter {
  const sorted = Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1));
  const page: Page = {
    kind: 'Flagz',
    text: () => head('flagz') + sorted.map(([name, value]) => `${name}=${value}\n`).join(''),
    fields: () => ({ flags: Object.fromEntries(sorted) }),
  };
  return request => servePage(request, page);
}
