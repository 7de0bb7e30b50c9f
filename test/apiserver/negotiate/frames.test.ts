import t from 'tap';
import { FrameCache, storedFrame } from '../../../apiserver/negotiate/frames.js';
import type { Stored } from '../../../registry/pipeline/interface.js';
import type { Revision } from '../../../storage/interface.js';
import { until } from '../../storage/until.js';

const stored = (name: string): Stored => {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } };
  return { key: `/${name}`, revision: 1 as Revision, json: Buffer.from(JSON.stringify(object)), typeLength: 0, object };
};

t.test('a frame is kept for the other watchers of its event', t => {
  const frames = new FrameCache();
  const [one, other] = [stored('one'), stored('other')];
  const made = frames.put(one, 'ADDED', storedFrame('ADDED', one));
  t.equal(made.toString(), `{"type":"ADDED","object":${one.json.toString()}}\n`);
  t.equal(frames.get(one, 'ADDED'), made);
  t.equal(frames.get(one, 'MODIFIED'), undefined);
  t.equal(frames.get(other, 'ADDED'), undefined);
  t.equal(frames.bytes, made.length);
  t.end();
});

t.test('frames are shared where there is more than one watch of a resource', t => {
  const frames = new FrameCache();
  const [pods, services] = [{}, {}];
  t.notOk(frames.isShared(pods));
  const leaveOne = frames.watchBegins(pods);
  const leaveService = frames.watchBegins(services);
  t.notOk(frames.isShared(pods));
  const leaveOther = frames.watchBegins(pods);
  t.ok(frames.isShared(pods));
  t.notOk(frames.isShared(services));
  leaveOne();
  t.notOk(frames.isShared(pods));
  leaveOther();
  leaveService();
  t.notOk(frames.isShared(pods));
  t.end();
});

t.test('old frames are dropped after two intervals', async t => {
  const frames = new FrameCache(5);
  const objects = Array.from({ length: 100 }, (_, i) => stored(`n-${i}`));
  for (const one of objects)
    for (const form of ['ADDED', 'MODIFIED'] as const) frames.put(one, form, storedFrame(form, one));
  t.ok(frames.bytes > 0);
  await until('they are gone', () => frames.bytes === 0);
  t.ok(objects.every(one => frames.get(one, 'ADDED') === undefined));
  const [again = stored('again')] = objects;
  frames.put(again, 'ADDED', storedFrame('ADDED', again));
  await until('and so are those that come later', () => frames.bytes === 0);
});
