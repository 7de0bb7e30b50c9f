import type * as gen from '../../openapi/gen/apiregistration-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type APIService = DraftKind<gen.APIService>;
export type APIServiceCondition = Draft<gen.APIServiceCondition>;
export type APIServiceSpec = Draft<gen.APIServiceSpec>;
export type APIServiceStatus = Draft<gen.APIServiceStatus>;
export type ServiceReference = Draft<gen.ServiceReference>;
