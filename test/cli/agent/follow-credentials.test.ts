/** An agent reads its credentials again while it runs. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import type { Endpoint } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { RenewableClient } from '../../../aggregation/remote/renewable-client.js';
import type { Credential } from '../../../authn/pki/authority.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { clusterEndpointSource } from '../../../cli/agent/endpoint-source.js';
import { followCredentials } from '../../../cli/agent/follow-credentials.js';
import { silent } from '../../../server/logger.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { certificateOf } from '../../controllers/agent/agent-fixture.js';
import { until } from '../../storage/until.js';

const reviews = { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews' };

t.test('credentials that the client refuses are tried again until they work', async t => {
  const server = await runningServer(t, { profile: 'kubernetes' });
  const authority = server.pki.authority.certificate;
  const file = path.join(server.directory, 'credentials');
  const write = async (credential: Credential): Promise<void> => {
    const text = kubeconfig([{ name: 'c', server: server.url, authority, user: { credential } }]);
    await fs.writeFile(`${file}.new`, text);
    await fs.rename(`${file}.new`, file);
  };
  const [first, second] = await Promise.all([certificateOf(server, 'first'), certificateOf(server, 'second')]);
  await write(first);
  const source = clusterEndpointSource(file, '', {});
  const opened: Endpoint[] = [];
  const client = new RenewableClient(source(), endpoint => {
    opened.push(endpoint);
    return remote(endpoint, { userAgent: 'test' });
  });
  t.teardown(() => client.close());
  const user = async (): Promise<string> => {
    const { status } = await client.create(reviews, object('authentication.k8s.io/v1', 'SelfSubjectReview', ''));
    return (status as { userInfo: { username: string } }).userInfo.username;
  };
  const used: object[] = [];
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  let looks = 0;
  const done = followCredentials({
    ...{ client, first: source(), what: 'cluster', signal: ending.signal, periodMs: 1 },
    source: () => {
      looks++;
      return source();
    },
    log: { ...silent, info: fields => used.push(fields) },
  });

  await write({ ...second, key: first.key });
  await until('they are tried three times', () => opened.length > 3);
  t.same(used, [], 'the key is not that of the certificate');
  t.equal(await user(), 'first');

  await write(second);
  await until('they are used', () => used.length > 0);
  const [tried, seen] = [opened.length, looks];
  await until('further looks', () => looks >= seen + 3);
  t.equal(await user(), 'second');
  t.equal(opened.length, tried, 'what works is not used again');
  t.same(used, [{ server: 'cluster' }]);
  ending.abort();
  await done;
});
