/** Lists over all clusters, of members that answer as the test defines: pages, limits, slow readers, and failures in the middle. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import t, { type Test } from 'tap';
import { httpClient } from '../../apiserver/http-client.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { type Backend, backend } from '../backend.js';
import { controlPlane, join } from '../fleet.js';

const path = '/apis/cluster.karmada.io/v1alpha1/clusters/*/proxy/api/v1/things';

interface Listing {
  readonly names: readonly string[];
  /** The text in each item. */
  readonly filler?: string;
}

interface Member {
  readonly server: Backend;
  readonly queries: URLSearchParams[];
  /** Bytes of lists that were written so far. */
  sent: number;
  /** Answers a page in another way if it returns true. */
  instead: (query: URLSearchParams, response: ServerResponse) => boolean;
}

/** Serves a list in pages, whose continue tokens are the indexes of items. */
function serveList(member: Member, { names, filler = '' }: Listing): void {
  member.server.onRequest = ({ url = '' }, response) => {
    const query = new URL(url, 'https://x').searchParams;
    member.queries.push(query);
    if (member.instead(query, response)) return;
    const from = Number(query.get('continue') ?? 0);
    const end = Math.min(from + Number(query.get('limit') ?? Infinity), names.length);
    const token = end < names.length ? { continue: String(end), remainingItemCount: names.length - end } : {};
    const items = names.slice(from, end).map(name => ({ metadata: { name }, filler }));
    const text = JSON.stringify({
      ...{ kind: 'ThingList', apiVersion: 'v1' },
      ...{ metadata: { resourceVersion: '7', ...token }, items },
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    let at = 0;
    const write = (): void => {
      while (at < text.length) {
        const piece = text.slice(at, at + 64 * 1024);
        at += piece.length;
        member.sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', write);
      }
      response.end();
    };
    response.on('error', () => undefined);
    write();
  };
}

async function fleet(t: Test, listings: readonly Listing[]): Promise<{ control: TestServer; members: Member[] }> {
  const control = await controlPlane(t);
  const members: Member[] = [];
  for (const [i, listing] of listings.entries()) {
    const server = await backend(t);
    const member: Member = { server, queries: [], sent: 0, instead: () => false };
    serveList(member, listing);
    members.push(member);
    await join(control, `member${i + 1}`, { server: server.url, authority: server.authority, token: 'x' });
  }
  return { control, members };
}

const numbered = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

interface ListJson {
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const namesIn = ({ items }: ListJson): string[] => items.map(({ metadata }) => metadata.name);

t.test('a list is read from members page by page', async t => {
  const lists = [numbered('a', 1200), [], numbered('c', 3)];
  const { control, members } = await fleet(
    t,
    lists.map(names => ({ names })),
  );
  const ask = httpClient(t, control);
  const { status, json } = await ask(`GET ${path}?labelSelector=x&resourceVersion=5&resourceVersionMatch=NotOlderThan`);
  t.equal(status, 200);
  const list = json as unknown as ListJson;
  t.same(namesIn(list), lists.flat());
  t.match(list, { kind: 'ThingList', apiVersion: 'v1' });
  t.same(list.metadata, { resourceVersion: '7' }, 'nothing follows');
  const [first] = members as [Member];
  t.same(
    first.queries.map(query => [query.get('continue'), query.get('limit'), query.get('resourceVersion')]),
    [
      ...[
        [null, '500', '5'],
        ['500', '500', null],
        ['1000', '500', null],
      ],
    ],
  );
  t.ok(first.queries.every(query => query.get('labelSelector') === 'x'));
});

t.test('a list without an end is broken off', { timeout: 240_000 }, async t => {
  const { control, members } = await fleet(t, [{ names: ['a'] }]);
  const [member] = members as [Member];
  let pages = 0;
  member.instead = (_query, response) => {
    const metadata = { resourceVersion: '7', continue: `page-${++pages}` };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'ThingList', apiVersion: 'v1', metadata, items: [] }));
    return true;
  };
  await t.rejects(httpClient(t, control)(`GET ${path}`), 'the client does not take what it got for the whole');
  t.equal(pages, 10_000);
});

t.test('limit and continue go over all members', async t => {
  const lists = [numbered('a', 7), [], numbered('c', 3), numbered('d', 4)];
  const { control, members } = await fleet(
    t,
    lists.map(names => ({ names })),
  );
  const ask = httpClient(t, control);
  for (const limit of [1, 3, 5, 7, 10, 14, 600]) {
    const pages: string[][] = [];
    let token = '';
    do {
      const { json, status } = await ask(`GET ${path}?limit=${limit}${token === '' ? '' : `&continue=${token}`}`);
      t.equal(status, 200);
      const list = json as unknown as ListJson;
      t.notOk(list.metadata.remainingItemCount);
      t.ok(list.items.length <= limit, `${list.items.length} of ${limit}`);
      pages.push(namesIn(list));
      token = list.metadata.continue ?? '';
    } while (token !== '');
    t.same(pages.flat(), lists.flat(), `limit ${limit}`);
    t.ok(pages.length <= Math.ceil(14 / limit) + 1);
  }
  const other = Buffer.from('{"rv":1}').toString('base64url');
  for (const token of ['eyJ2Ijoi', other, 'bnVsbA'])
    t.match(await ask(`GET ${path}?limit=2&continue=${token}`), { status: 400, json: { reason: 'BadRequest' } });
  const left = Buffer.from('{"cluster":"left"}').toString('base64url');
  t.match(await ask(`GET ${path}?limit=2&continue=${left}`), { status: 410, json: { reason: 'Expired' } });
  // Members refuse what is no limit.
  for (const member of members)
    member.instead = (query, response) => {
      if (query.get('limit') === '500') response.writeHead(400).end();
      return query.get('limit') === '500';
    };
  t.equal((await ask(`GET ${path}?limit=x`)).status, 404);
});

t.test('a member that ignores the limit', async t => {
  const { control, members } = await fleet(t, [{ names: numbered('a', 20) }, { names: numbered('b', 20) }]);
  for (const member of members)
    member.instead = (query, response) => {
      const isWhole = !query.has('all');
      if (!isWhole) return false;
      const items = numbered('x', 20).map(name => ({ metadata: { name } }));
      response.end(JSON.stringify({ items, kind: 'ThingList', metadata: {} }));
      return true;
    };
  const ask = httpClient(t, control);
  const list = (await ask(`GET ${path}?limit=5`)).json as unknown as ListJson;
  t.equal(list.items.length, 20, 'a list that is not divided is passed on as a whole');
  t.match(JSON.parse(Buffer.from(list.metadata.continue ?? '', 'base64url').toString()), { cluster: 'member2' });
});

/** Begins a request whose answer is read when the test does it. */
async function begin(control: TestServer, query = ''): Promise<IncomingMessage> {
  const { authority, admin } = control.pki;
  const { host, port } = control;
  const request = https.get({
    ...{ host, port, path: path + query, agent: false, ca: authority.certificate },
    ...{ cert: admin.certificate, key: admin.key },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const mebibyte = 1024 * 1024;

t.test('what a slow reader does not take is not received', async t => {
  const filler = 'x'.repeat(16 * 1024);
  const listings = ['a', 'b', 'c'].map(prefix => ({ names: numbered(prefix, 2000), filler }));
  const { control, members } = await fleet(t, listings);
  const before = process.memoryUsage().arrayBuffers;
  const response = await begin(control);
  const sent = (): number => members.reduce((sum, member) => sum + member.sent, 0);
  let [last, same] = [-1, 0];
  await until('nothing more is received', () => {
    const now = sent();
    same = now === last && now > 0 ? same + 1 : 0;
    last = now;
    return same >= 20;
  });
  const held = sent();
  const memory = process.memoryUsage().arrayBuffers - before;
  t.comment(`${Math.round(held / mebibyte)} of 94 MiB were sent, ${Math.round(memory / mebibyte)} MiB of buffers`);
  t.ok(held < 45 * mebibyte, `${Math.round(held / mebibyte)} MiB were sent`);
  let text = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  t.same(
    namesIn(JSON.parse(text) as ListJson),
    listings.flatMap(({ names }) => names),
  );
});

t.test('a member that fails after a part of its list was written breaks the answer off', async t => {
  const { control, members } = await fleet(t, [{ names: numbered('a', 3) }, { names: numbered('b', 1200) }]);
  const [, second] = members as [Member, Member];
  const ask = httpClient(t, control);
  const fails: Record<string, Member['instead']> = {
    'a refused page': (query, response) => {
      if (query.get('continue') === '500') response.writeHead(410).end();
      return query.get('continue') === '500';
    },
    'a broken connection': (query, response) => {
      if (query.get('continue') === '1000') response.destroy();
      return query.get('continue') === '1000';
    },
    'no JSON': (query, response) => {
      if (query.get('continue') === '500') response.end('{"items":[1]}');
      return query.get('continue') === '500';
    },
  };
  for (const [name, instead] of Object.entries(fails)) {
    second.instead = instead;
    const response = await begin(control);
    await t.rejects(
      (async () => {
        for await (const _chunk of response as AsyncIterable<Buffer>);
      })(),
      { code: 'ECONNRESET' },
      name,
    );
  }
  // Before, it is left out.
  second.instead = (_query, response) => {
    response.end('{"items":[{},1]}');
    return true;
  };
  const { json } = await ask(`GET ${path}`);
  t.same(namesIn(json), numbered('a', 3));
});

t.test('a member that does not continue its list makes the page fail', async t => {
  const lists = [['a0'], numbered('b', 4), ['c0']];
  const { control, members } = await fleet(
    t,
    lists.map(names => ({ names })),
  );
  const ask = httpClient(t, control);
  const { json } = await ask(`GET ${path}?limit=3`);
  const list = json as unknown as ListJson;
  t.same(namesIn(list), ['a0', 'b0', 'b1']);
  const next = `GET ${path}?limit=9&continue=${list.metadata.continue}`;
  const [, second] = members as [Member, Member];
  const refuseWith = (code: number): Member['instead'] => {
    return (_query, response) => {
      response.writeHead(code).end();
      return true;
    };
  };
  second.instead = refuseWith(410);
  t.match(await ask(next), { status: 410, json: { reason: 'Expired' } });
  second.instead = refuseWith(403);
  t.match(await ask(next), { status: 500, json: { message: /cluster member2 refuses .* status code 403/ } });
  second.instead = (_query, response) => {
    response.destroy();
    return true;
  };
  t.match(await ask(next), { status: 503, json: { message: /cluster member2 does not continue its list/ } });
  second.instead = () => false;
  t.same(namesIn((await ask(next)).json), ['b2', 'b3', 'c0']);
});
