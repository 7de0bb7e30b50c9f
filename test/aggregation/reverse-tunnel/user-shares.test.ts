/** One user cannot take all the connections of a reverse tunnel that users may have. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import t from 'tap';
import { maxStreamsOfUser, maxUserStreams } from '../../../aggregation/reverse-tunnel/protocol.js';
import { ReverseTunnels } from '../../../aggregation/reverse-tunnel/reverse-tunnels.js';
import { type Credential, issueClient } from '../../../authn/pki/authority.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { backend } from '../backend.js';
import { controlPlane, grant, join, joinPulled, memberServer } from '../fleet.js';
import { endpointOf, tunnelAgent } from './fixture.js';

const root = '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1';
const exec = `${root}/namespaces/default/pods/p/exec?command=sh`;
const watch = `${root}/pods?watch=1`;
/** What one user may have: half of the long requests, and half of the others. */
const [long, short] = [maxUserStreams / 4, maxUserStreams / 6];

interface Begun {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
  readonly end: () => void;
}

/** The requests of one user, each with a connection of its own to the control plane. */
class User {
  readonly #control: TestServer;
  readonly #credential: Credential;
  readonly #sockets: Socket[] = [];

  constructor(control: TestServer, credential: Credential = control.pki.admin) {
    this.#control = control;
    this.#credential = credential;
  }

  static async called(control: TestServer, name: string): Promise<User> {
    await grant(control.client, name, { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }, 'cluster-admin');
    return new User(control, await issueClient(control.pki.authority, { name, groups: [] }));
  }

  /** Begins a request. Resolves when its answer, or its refusal, has come. */
  begin(path: string, headers: Record<string, string> = {}): Promise<Begun> {
    const { host, port, pki } = this.#control;
    const { certificate: cert, key } = this.#credential;
    const request = https.get({ host, port, path, headers, agent: false, ca: pki.authority.certificate, cert, key });
    return new Promise((resolve, reject) => {
      const answered = ({ statusCode: status, headers: answer, socket }: IncomingMessage, text: string) => {
        this.#sockets.push(socket);
        resolve({ status, retryAfter: answer['retry-after'], text, end: () => socket.destroy() });
      };
      request.on('error', reject);
      request.on('upgrade', response => answered(response, ''));
      request.on('response', response => {
        if (response.statusCode === 200) return answered(response.resume(), '');
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => answered(response, text));
      });
    });
  }

  readonly exec = (): Promise<Begun> => this.begin(exec, { connection: 'Upgrade', upgrade: 'SPDY/3.1' });

  readonly watch = (): Promise<Begun> => this.begin(watch);

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

t.test('a user has a share of the connections, and the rest is for others', async t => {
  const [control, member] = await Promise.all([controlPlane(t), backend(t)]);
  await join(control, 'm', { authority: member.authority, token: 'x' });
  const held: ServerResponse[] = [];
  member.onUpgrade = (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    socket.resume().on('end', () => socket.end());
  };
  member.onRequest = (request, response) => {
    if (request.url?.includes('watch'))
      return void response
        .on('error', () => undefined)
        .writeHead(200)
        .write('x');
    held.push(response);
  };
  await tunnelAgent(t, control, 'm', { member: { server: member.url } });
  const [jane, bob] = [await User.called(control, 'jane'), await User.called(control, 'bob')];
  t.teardown(() => [jane, bob].forEach(user => user.end()));

  const upgraded = await Promise.all(Array.from({ length: long - 1 }, jane.exec));
  t.ok(upgraded.every(({ status }) => status === 101));
  // The member speaks HTTP/1.1 only, so that a watch has a connection of its own, too.
  t.equal((await jane.watch()).status, 200);
  for (const begin of [jane.exec, jane.watch]) {
    const refused = await begin();
    t.match(refused, { status: 429, retryAfter: '1', text: /of user \\"jane\\" last long for cluster m/ });
  }
  t.equal((await bob.exec()).status, 101, 'another user is not affected');

  const waiting = Array.from({ length: short + 1 }, () => jane.begin(`${root}/pods`));
  await until('all but one are sent', () => held.length === short);
  const ofBob = bob.begin(`${root}/pods`);
  await until('another user does not wait', () => held.length === short + 1);
  held[0]?.end();
  await until('the last one is sent', () => held.length === short + 2);
  for (const response of held) response.end();
  for (const { status } of await Promise.all([...waiting, ofBob])) t.equal(status, 200);

  upgraded[0]?.end();
  await until('a stream that has ended makes room', async () => (await jane.exec()).status === 101);
});

t.test('streams of a user through other processes count', async t => {
  const tunnels = new ReverseTunnels();
  const [control, member] = await Promise.all([controlPlane(t, { parts: [aggregation({ tunnels })] }), backend(t)]);
  await join(control, 'm', { authority: member.authority, token: 'x' });
  member.onUpgrade = (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    socket.resume().on('end', () => socket.end());
  };
  await tunnelAgent(t, control, 'm', { member: { server: member.url } });
  const [jane, bob] = [await User.called(control, 'jane'), await User.called(control, 'bob')];
  const { tunnel: own } = tunnels.ownTunnel('m') ?? {};
  if (!own) throw new Error('there is no tunnel');
  // As another process does.
  const others = await Promise.all(Array.from({ length: maxStreamsOfUser - 1 }, () => own.openForUsers('jane')));
  t.teardown(() => {
    for (const user of [jane, bob]) user.end();
    for (const socket of others) socket.destroy();
  });
  t.equal((await jane.exec()).status, 101, 'there is room for one');
  const refused = await jane.exec();
  t.match(refused, { status: 429, retryAfter: '1', text: /no room for another connection of user \\"jane\\"/ });
  t.equal((await bob.exec()).status, 101, 'another user is not affected');
  others[0]?.destroy();
  await until('a stream of another process that has ended makes room', async () => (await jane.exec()).status === 101);
});

t.test('requests that share a connection are not limited by the tunnel', async t => {
  const [control, member] = await Promise.all([controlPlane(t), memberServer(t)]);
  await joinPulled(control, 'm', member);
  await tunnelAgent(t, control, 'm', { member: endpointOf(member) });
  const jane = new User(control);
  t.teardown(() => jane.end());
  t.equal((await jane.begin(`${root}/pods`)).status, 200);
  const watches = await Promise.all(Array.from({ length: long + 1 }, jane.watch));
  t.ok(watches.every(({ status }) => status === 200));
});
