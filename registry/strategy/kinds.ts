/** Common sets of rules, to be combined: `strategy(withStatus, { validateCreate: [...] })`. */
import type { Strategy } from '../interface.js';
import { bumpGeneration, startGeneration } from './generation.js';
import { dropStatus, keepStatus } from './parts.js';

/** Rules of native kinds with spec, status and generation. */
export const rulesWithStatus = {
  prepareCreate: [dropStatus, startGeneration],
  prepareUpdate: [keepStatus, bumpGeneration],
  resetFields: ['status'],
} as const satisfies Partial<Strategy>;

/** Rules of native kinds with spec and generation, without status. */
export const withGeneration = {
  prepareCreate: [startGeneration],
  prepareUpdate: [bumpGeneration],
} as const satisfies Partial<Strategy>;

/** Rules of native kinds with status, without generation. */
export const withStatusOnly = {
  prepareCreate: [dropStatus],
  prepareUpdate: [keepStatus],
  resetFields: ['status'],
} as const satisfies Partial<Strategy>;
