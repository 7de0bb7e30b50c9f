/** Contents of requests and responses, and clients that leave in the middle of them. */
import t, { type Test } from 'tap';
import { answer } from '../../../../apiserver/http/answer.js';
import type { Request } from '../../../../apiserver/http/request.js';
import type { ResponseStream } from '../../../../apiserver/interface.js';
import { defaults, frameTypes } from '../../../../lib/http2/frames.js';
import { until } from '../../../storage/until.js';
import { open } from './line.js';
import { byPath, filler, left, start } from './server.js';
import * as clientFrames from './client-frames.js';

const { data, endStream, get, headers, post, pseudo, resetStream, windowUpdate } = clientFrames;

const { port } = await start(t);

t.test('requests have method, path, headers and body', async t => {
  const line = await open(t, port);
  const fields: readonly clientFrames.Pair[] = [
    ['cookie', 'a=1'],
    ['x-flag', 'one'],
    ['cookie', 'b=2'],
    ['x-flag', 'two'],
    ['cookie', 'c=3; d=4'],
  ];
  line.send(
    post(1, '/echo?a=b&c', ...fields),
    data(1, 'body'),
    headers(
      1,
      clientFrames.block([
        ['x-trailer', 'late'],
        ['x-flag', 'late'],
      ]),
    ),
  );
  const { body } = await line.whole(1);
  const received = JSON.parse(body) as { readonly headers: Record<string, string> };
  t.match(received, { method: 'POST', path: '/echo', query: 'a=b&c', bytes: 4 });
  t.match(received.headers, { cookie: 'a=1; b=2; c=3; d=4', 'x-flag': 'one, two' });
  t.notOk('x-trailer' in received.headers, 'trailers are dropped');
});

t.test('Expect: 100-continue', async t => {
  const line = await open(t, port);
  const expect: clientFrames.Pair = ['expect', '100-continue'];
  line.send(post(1, '/echo', expect));
  await until('the body is wanted', () => line.reply(1).before.length > 0, 5000);
  t.same(line.reply(1).before, [100]);
  line.send(data(1, 'here', endStream));
  t.match(await line.whole(1), { status: 200, body: /"bytes":4\b/ });
  line.send(post(3, '/ignore', expect));
  await until('the answer', () => line.reply(3).status === 200, 5000);
  t.same(line.reply(3).before, [], '100-continue is not sent for a body that is not read');
  line.send(data(3, 'nevertheless', endStream), post(5, '/echo', expect), data(5, 'at once', endStream));
  t.match(await line.whole(5), { status: 200, body: /"bytes":7\b/ });
});

t.test('HEAD', async t => {
  const line = await open(t, port);
  line.send(headers(1, clientFrames.block(pseudo('/large?bytes=1000', 'HEAD'))));
  t.match(await line.whole(1), { status: 200, headers: { 'content-length': '1000' }, end: 'END_STREAM' });
  t.same(await line.received(frameTypes.data, 0), [], 'no DATA, not even an empty frame');
});

t.test('a response with large headers', async t => {
  const value = 'abcdefghij'.repeat(5000);
  const large = await start(
    t,
    byPath({ '/headers': request => answer(request, 204, undefined, undefined, { 'x-large': value }) }),
  );
  const line = await open(t, large.port);
  line.send(get(1, '/headers'), get(3, '/none'));
  const { headers: received, end } = await line.whole(1);
  t.ok(received['x-large'] === value, 'it is complete');
  t.equal(end, 'END_STREAM');
  t.ok(
    line.frames.every(({ payload }) => payload.length <= defaults.maxFrame),
    'in frames of the default size',
  );
  t.equal((await line.whole(3)).status, 204);
});

t.test('a response in pieces', async t => {
  let stream: ResponseStream | undefined;
  const pieces = await start(
    t,
    byPath({
      '/pieces': async request => {
        stream = request.exchange.stream(200, { 'content-type': 'text/plain' });
        await left(request);
        request.done(200, 0);
      },
    }),
  );
  const line = await open(t, pieces.port);
  line.send(get(1, '/pieces'));
  await until('it begins', () => line.reply(1).status === 200, 5000);
  for (const piece of ['one', 'one, two', 'one, two, three']) {
    stream?.write(Buffer.from(piece.slice(line.reply(1).body.length)));
    await until(piece, () => line.reply(1).body === piece, 5000);
  }
  t.equal(line.reply(1).end, undefined);
  stream?.writeAll([Buffer.from(' and'), Buffer.from(' four')]);
  stream?.end();
  t.match(await line.whole(1), { body: 'one, two, three and four', end: 'END_STREAM' });

  line.send(get(3, '/pieces'));
  await until('it begins', () => line.reply(3).status === 200, 5000);
  const second = stream;
  while (second?.write(filler(65_536)) === true);
  let caughtUp = false;
  void second?.drained().then(() => (caughtUp = true));
  await line.roundTrip();
  t.notOk(caughtUp, 'the writer is notified when the client is behind');
  const widest = 2 ** 31 - 1 - defaults.window;
  line.send(windowUpdate(0, widest), windowUpdate(3, widest));
  await until('the client caught up', () => caughtUp, 5000);
  second?.end();
  t.equal((await line.whole(3)).end, 'END_STREAM');
});

interface Guests {
  readonly port: number;
  /** Number of requests whose client is still connected. */
  readonly here: number;
  readonly inFlight: number;
}

async function guests(t: Test): Promise<Guests> {
  let here = 0;
  const stays = ({ exchange }: Request): void => {
    here++;
    exchange.onClose(() => here--);
  };
  const server = await start(
    t,
    byPath({
      '/upload': async request => {
        stays(request);
        await request.exchange.body(1 << 20);
        answer(request, 204, undefined, undefined);
      },
      '/download': async request => {
        stays(request);
        const stream = request.exchange.stream(200, {});
        while (!stream.closed) if (!stream.write(filler(10_000))) await stream.drained();
        request.done(200, 0);
      },
    }),
  );
  return {
    port: server.port,
    get here() {
      return here;
    },
    get inFlight() {
      return server.inFlight;
    },
  };
}

t.test('clients that leave in the middle of requests', async t => {
  const all = await guests(t);
  const line = await open(t, all.port);
  line.send(post(1, '/upload'), data(1, 'some'), get(3, '/download'), post(5, '/upload'));
  await until('they are served', () => all.here === 3 && line.data(3) > 0, 5000);
  line.send(resetStream(1));
  await until('one is gone', () => all.here === 2, 5000);
  line.send(resetStream(3));
  await until('another one', () => all.here === 1, 5000);
  line.send(resetStream(5), get(7, '/none'));
  t.equal((await line.whole(7)).status, 204, 'other clients are served');
  await until('all', () => all.here === 0, 5000);

  line.send(post(9, '/upload'), get(11, '/download'));
  await until('they are served', () => all.here === 2, 5000);
  line.socket.destroy();
  await until('they left with the connection', () => all.here === 0, 5000);
  await until('nothing is served any more', () => all.inFlight === 0, 5000);
});

t.test('a client that leaves without an error', async t => {
  const all = await guests(t);
  const line = await open(t, all.port);
  line.send(get(1, '/download'), post(3, '/upload'));
  await until('they are served', () => all.here === 2 && line.data(1) > 0, 5000);
  line.send(resetStream(1, 'NO_ERROR'), resetStream(3, 'NO_ERROR'));
  await until('it is gone', () => all.here === 0, 5000);
});
