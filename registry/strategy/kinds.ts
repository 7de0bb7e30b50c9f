/** Ready-made rules for whole kinds, to be spread and completed: `strategy(withStatus, { validateCreate: [...] })`. */
import type { Strategy } from '../interface.js';
import { bumpGeneration, startGeneration } from './generation.js';
import { dropStatus, keepStatus } from './parts.js';

/** Natives with spec, status and generation. */
export const withStatus = {
  prepareCreate: [dropStatus, startGeneration],
  prepareUpdate: [keepStatus, bumpGeneration],
  resetFields: ['status'],
} as const satisfies Partial<Strategy>;

/** Natives with spec and generation, without status. */
export const withGeneration = {
  prepareCreate: [startGeneration],
  prepareUpdate: [bumpGeneration],
} as const satisfies Partial<Strategy>;

/** The strategy of natives with status that never count generations. */
export const withStatusOnly = {
  prepareCreate: [dropStatus],
  prepareUpdate: [keepStatus],
  resetFields: ['status'],
} as const satisfies Partial<Strategy>;
