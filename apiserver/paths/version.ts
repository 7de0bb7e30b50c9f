import process from 'node:process';
import { answerIndented } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';

const platforms: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/**
 * The answer of /version: that of a kube-apiserver of the API's version, as from Karmada's API server, since clients decide by it which features
 * they use. The platform is that of this server.
 */
export const versionInfo = Object.freeze({
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.2',
  gitCommit: '98b35193b2ac7a23a673325f5e9b830ecd5ba406',
  gitTreeState: 'clean',
  buildDate: '2026-06-11T00:00:00Z',
  goVersion: 'go1.26.10',
  compiler: 'gc',
  platform: `${process.platform}/${platforms[process.arch] ?? process.arch}`,
});

/** Answers `/version`. */
export const version: RequestFilter = request => answerIndented(request, 200, versionInfo);
