/** Runs tables of defaults, which must be exactly those that were recorded of Kubernetes 1.36. */
import t from 'tap';
import { refusal } from '../../wire.js';
import { placeOf } from '../facts.js';
import { template } from '../manifests.js';
import { objectOf, sharedFixture } from '../fixture.js';

interface DefaultsCase {
  readonly name: string;
  readonly given: object;
  /** The object without the fields that every object has. `UID` and `TIME` replace its uid and times. */
  readonly expect: object;
}

/** Defaults of pod templates, and of containers and probes in them. */
export const podDefaults = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
export const containerDefaults = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
};
export const probeDefaults = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
/** The template of `manifests.ts` with its defaults. */
export const defaultedTemplate = {
  ...template,
  spec: { ...podDefaults, containers: [{ ...containerDefaults, name: 'c', image: 'i' }] },
};

/** Returns the object without its identity, with placeholders for uid and times. */
function filled(object: object): object {
  const {
    apiVersion: _v,
    kind: _k,
    metadata,
    ...rest
  } = object as { metadata: Record<string, unknown> } & object & {
      apiVersion: string;
      kind: string;
    };
  const { name: _n, namespace: _ns, uid, creationTimestamp: _c, managedFields: _m, ...more } = metadata;
  const left = { ...(Object.keys(more).length > 0 && { metadata: more }), ...rest };
  const text = JSON.stringify(left).replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g, '"TIME"');
  return JSON.parse(typeof uid === 'string' ? text.replaceAll(uid, 'UID') : text) as object;
}

/** Tests the defaults of a resource. The objects are named `x`. */
export function testDefaults(resource: string, cases: readonly DefaultsCase[]): void {
  t.test(`${resource}: defaults`, async t => {
    const { ask } = await sharedFixture();
    const place = placeOf(resource);
    for (const { name, given, expect } of cases) {
      const reply = await ask(`POST ${place.path}?dryRun=All`, objectOf(place, 'x', given));
      t.equal(reply.status, 201, `${name} ${reply.status === 201 ? '' : refusal(reply)}`);
      t.strictSame(filled(reply.object), expect, name);
    }
  });
}
