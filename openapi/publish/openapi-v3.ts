import { atOnce, type InSteps } from '../../lib/time-slice.js';
import { nativeTypeName } from '../facts/native-schemas.js';
import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import { componentName, listKind, metaType, ownKind } from './component-names.js';
import { customComponent, customListComponent, type OpenApiVersion } from './custom-component.js';
import type { GroupVersionEntry } from './group-versions.js';
import type { Descriptions } from './interface.js';
import { nativeComponent } from './native-component.js';
import { groupVersionNames, pathItem, type Body } from './operation.js';
import { groupVersionPath, resourcePaths } from './paths.js';
import type { Reference } from './resource-operations.js';

const info = { title: 'Kubernetes', version: 'unversioned' };
/** `info` of group-versions with only custom resources. */
const customInfo = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };
const securitySchemes = { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } };

const discoveryTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Returns a function for references, and the components that were referred to, directly or by other components. */
function componentsOf(
  groupVersion: GroupVersionKind,
  describe: Descriptions['describe'],
  makers: ComponentMakers,
): { refer: Reference; readonly schemas: () => InSteps<JsonObject> } {
  const names = new Set<string>();
  const refer: Reference = name => {
    names.add(name);
    return { $ref: `#/components/schemas/${name}` };
  };
  function* write(name: string): InSteps<JsonObject> {
    const make = makers.get(name);
    return make ? yield* make(refer) : nativeComponent(name, groupVersion, describe, refer);
  }
  return {
    refer,
    *schemas() {
      const written: JsonObject = {};
      // The iteration of a Set includes entries that are added meanwhile.
      for (const name of names) {
        written[name] = yield* write(name);
        yield undefined;
      }
      return Object.fromEntries(Object.entries(written).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

/** Functions that make components, by name. */
type ComponentMakers = ReadonlyMap<string, (refer: Reference) => InSteps<JsonObject>>;

/** Returns functions that make the components of kinds that are not native, and of their lists. */
function componentMakers(
  entry: GroupVersionEntry,
  describe: Descriptions['describe'],
  openApi: OpenApiVersion,
): ComponentMakers {
  const makers = new Map<string, (refer: Reference) => InSteps<JsonObject>>();
  for (const served of entry.resources) {
    if (nativeTypeName(ownKind(served)) !== undefined) continue;
    makers.set(componentName(ownKind(served)), refer => customComponent(served, describe, refer, openApi));
    makers.set(componentName(listKind(served)), function* (refer) {
      return customListComponent(served, describe, refer);
    });
  }
  return makers;
}

export interface OpenApiDocument extends JsonObject {
  readonly info: JsonObject;
  readonly paths: JsonObject;
  readonly components: { readonly schemas?: JsonObject };
}

function document(head: JsonObject, paths: JsonObject, schemas: JsonObject, secured: boolean): OpenApiDocument {
  const components = {
    ...(Object.keys(schemas).length && { schemas }),
    ...(secured && { securitySchemes }),
  };
  return { openapi: '3.0.0', info: head, paths, components };
}

function discoveryPath(path: string, id: string, tag: string, body: Body): JsonObject {
  return { [path]: pathItem({ get: { id, tag, parameters: [], responses: { 200: body } } }) };
}

/** Makes the OpenAPI v3 document of a group-version, in steps. For v2 the schemas of custom resources are simplified. */
export function* groupVersionDocument(
  entry: GroupVersionEntry,
  { describe, describeParameter }: Descriptions,
  openApi: OpenApiVersion = 'v3',
): InSteps<OpenApiDocument> {
  const groupVersion = { group: entry.group, version: entry.version, kind: '' };
  const { refer, schemas } = componentsOf(groupVersion, describe, componentMakers(entry, describe, openApi));
  const custom = entry.resources.every(served => served.resource.wire.itemsCarryType);
  const { id, tag } = groupVersionNames(entry.group, entry.version);
  const list = { types: discoveryTypes, schema: refer(metaType('APIResourceList')) };
  const root = `${groupVersionPath(entry.group, entry.version)}/`;
  const paths: JsonObject = custom ? {} : discoveryPath(root, `get${id}APIResources`, tag, list);
  for (const served of entry.resources) {
    Object.assign(paths, resourcePaths(served, refer, describeParameter));
    yield undefined;
  }
  const sorted = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
  return document(custom ? customInfo : info, sorted, yield* schemas(), !custom);
}

/** Returns the documents without a group-version by path: `api`, `apis`, `apis/apps`, `version`. */
export function smallDocuments(groups: readonly string[], describe: Descriptions['describe']) {
  const groupVersion = { group: '', version: '', kind: '' };
  const small = (path: string, id: string, tag: string, types: readonly string[], type: string | undefined) => {
    const { refer, schemas } = componentsOf(groupVersion, describe, new Map());
    const schema = type === undefined ? { type: 'string' } : refer(type);
    return [
      path,
      () => document(info, discoveryPath(`/${path}/`, id, tag, { types, schema }), atOnce(schemas()), true),
    ] as const;
  };
  const groupDocuments = groups
    .filter(group => group !== '')
    .map(group => {
      const { id, tag } = groupVersionNames(group);
      return small(`apis/${group}`, `get${id}APIGroup`, tag, discoveryTypes, metaType('APIGroup'));
    });
  return new Map([
    small(
      '.well-known/openid-configuration',
      'getServiceAccountIssuerOpenIDConfiguration',
      'WellKnown',
      ['application/json'],
      undefined,
    ),
    small('api', 'getCoreAPIVersions', 'core', discoveryTypes, metaType('APIVersions')),
    small('apis', 'getAPIVersions', 'apis', discoveryTypes, metaType('APIGroupList')),
    ...groupDocuments,
    small('openid/v1/jwks', 'getServiceAccountIssuerOpenIDKeyset', 'openid', ['application/jwk-set+json'], undefined),
    small('version', 'getCodeVersion', 'version', ['application/json'], 'io.k8s.apimachinery.pkg.version.Info'),
  ]);
}
