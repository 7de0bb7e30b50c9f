/** Tasks for a worker thread that convert OpenAPI documents from JSON to protobuf. */
import type { Tasks } from '../../../lib/offload/interface.js';
import type { JsonObject } from '../../../apimachinery/interface.js';
import { parseJson } from '../../../lib/json/json.js';
import { openApiV3Protobuf } from './openapi-v3-protobuf.js';
import { swaggerProtobuf } from './swagger-protobuf.js';

const documentIn = (json: Uint8Array): JsonObject => parseJson(Buffer.from(json).toString()) as JsonObject;

/** Returns the name of the task that encodes an OpenAPI document, for the thread that does what would block the event loop. */
export const protobufTask = (version: 'v2' | 'v3'): string => `openapi.${version}.protobuf`;

export const protobufTasks: Tasks = {
  [protobufTask('v2')]: json => swaggerProtobuf(documentIn(json)),
  [protobufTask('v3')]: json => openApiV3Protobuf(documentIn(json)),
};
