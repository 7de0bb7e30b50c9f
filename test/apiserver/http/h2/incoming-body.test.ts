import t from 'tap';
import { IncomingBody } from '../../../../apiserver/http/h2/incoming-body.js';

const complete = (): IncomingBody => {
  const body = new IncomingBody(false, () => undefined);
  body.push(Buffer.from('{"dryRun":'));
  body.push(Buffer.from('["All"]}'));
  body.end();
  return body;
};

t.test('a body that was whole when its client left, and not read, is not an empty one', async t => {
  const body = complete();
  body.leave();
  await t.rejects(body.whole(undefined, 100), /unexpected EOF/);
  await t.rejects(body.pieces().next(), /unexpected EOF/);
});

t.test('nor one that was read in part', async t => {
  const body = complete();
  const pieces = body.pieces();
  t.same(await pieces.next(), { done: false, value: Buffer.from('{"dryRun":') });
  body.leave();
  await t.rejects(pieces.next(), /unexpected EOF/);
});

t.test('what was read to its end stays whole', async t => {
  const body = complete();
  t.equal((await body.whole(undefined, 100)).toString(), '{"dryRun":["All"]}');
  body.leave();
  const empty = new IncomingBody(true, () => undefined);
  empty.leave();
  t.equal((await empty.whole(undefined, 100)).length, 0);
});
