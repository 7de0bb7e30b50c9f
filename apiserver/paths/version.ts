import process from 'node:process';
import { answerValue } from '../http/answer.js';
import type { Filter } from '../http/filters.js';

const platforms: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** What the API's level is: clients parse `gitVersion` and decide by it what they may use (HTTP-009). */
export const versionInfo = Object.freeze({
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.2',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node ${process.version}`,
  compiler: 'v8',
  platform: `${process.platform}/${platforms[process.arch] ?? process.arch}`,
});

export const version: Filter = request => answerValue(request, 200, versionInfo);
