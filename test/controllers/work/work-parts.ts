/** What the controllers of Works consist of, with a control plane and a member, and without the controllers. */
import type { Test } from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import type { MappedResource } from '../../../client/interface.js';
import { gvkOf } from '../../../apimachinery/meta/gvk.js';
import type { MemberWatch } from '../../../controllers/members/member-watch.js';
import type { TestServer } from '../../apiserver/running.js';
import { type Fixture, type FixtureOptions, managed, workFixture } from './work-fixture.js';

interface WorkParts extends Fixture {
  readonly context: ControllerContext;
  readonly members: MemberWatch;
  /** The member as the control plane knows it. */
  readonly cluster: Cluster;
}

export async function workParts(t: Test, options: FixtureOptions = {}): Promise<WorkParts> {
  let started: Pick<WorkParts, 'context' | 'members'> | undefined;
  const fixture = await workFixture(t, {
    ...options,
    start: (context, { members }) => (started = { context, members }),
  });
  if (!started) throw new Error('not reached');
  const cluster = (await fixture.control.client.get(resources.clusters, { name: 'member1' })) as Cluster;
  return { ...fixture, ...started, cluster };
}

/** Returns the resource of an object's kind. */
async function resourceOf({ client }: TestServer, object: KubeObject): Promise<MappedResource> {
  const resource = await client.mapper.forKind(gvkOf(object));
  if (!resource) throw new Error(`no ${object.kind}`);
  return resource;
}

/** Creates an object in a member as the one of a Work, with this status. */
export async function createManaged(member: TestServer, object: KubeObject, work: string): Promise<KubeObject> {
  const resource = await resourceOf(member, object);
  const created = await member.client.create(resource, managed(object, work));
  if (object['status'] === undefined) return created;
  return member.client.update(resource, { ...created, status: object['status'] }, { subresource: 'status' });
}
