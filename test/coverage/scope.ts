/** What is measured, and where the reports are. */
import path from 'node:path';
import { root } from '../rules/files.js';

/**
 * The suites whose coverage is measured. Suites that measure time or crash servers are left out. Of `cli`, only what runs in the process of the
 * suite counts: the programs that it starts are bundles, and their profile would not name modules.
 */
export const suites: readonly string[] = [
  ...['aggregation', 'apiserver', 'authn', 'cli', 'conformance', 'controllers', 'interpreter', 'karmada', 'kinds'],
  ...['kubernetes', 'members', 'openapi', 'registry', 'scheduler', 'simulator', 'storage'],
];

/** Returns the file with the execution counts of a suite. The next run of the suite overwrites it. */
export const reportFile = (suite: string): string => path.join(root, '.tap', 'branches', `${suite}.json`);

const others: ReadonlySet<string> = new Set(['bundle', 'test', 'bench', 'tools']);

/** The modules that the build replaces by bundles: their text is that of other modules, too. */
const bundled = /^(?:server\/offload-worker|controllers\/interpreter\/lua\/worker)\b/;

/** Returns whether a path relative to the root or to `dist` is that of a module of the product. */
export const isProduct = (file: string): boolean =>
  file.includes('/') && !others.has(file.split('/')[0] ?? '') && !bundled.test(file);
