import type { KindTable } from '../kind.js';
import { kruiseJobs } from './jobs.js';
import { sidecarSet } from './sidecar-set.js';
import { kruiseWorkloads } from './workloads.js';

/** The kinds of OpenKruise. as pkg/resourceinterpreter/default/thirdparty/resourcecustomizations/apps.kruise.io */
export const kruise: KindTable = { ...kruiseJobs, ...sidecarSet, ...kruiseWorkloads };
