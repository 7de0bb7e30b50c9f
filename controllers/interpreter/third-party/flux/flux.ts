import type { KindTable } from '../kind.js';
import { releases } from './releases.js';
import { sources } from './sources.js';

/** The kinds of Flux. as pkg/resourceinterpreter/default/thirdparty/resourcecustomizations, the folders of fluxcd.io */
export const flux: KindTable = { ...releases, ...sources };
