import t from 'tap';
import { HeldTexts } from '../../../../aggregation/remote/mirror/held-texts.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { configMaps } from '../../../../api/kubernetes/resources.js';
import { RecentBytes } from '../../../../lib/compression/recent-bytes.js';
import { until } from '../../../storage/until.js';

const configMap = (name: string, text: string, resourceVersion = '7'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, resourceVersion },
  data: { text, count: 2n ** 62n, ratio: 0.5, ü: 'ü"' },
});

const received = (object: KubeObject) => ({ object, size: 1000 });

t.test('an object that is not read is held as text, and parsed when it is read', async t => {
  const recent = new RecentBytes({ periodMs: 5, hasRoom: () => true });
  t.teardown(() => recent.close());
  const texts = new HeldTexts(recent);
  const object = configMap('a', 'x'.repeat(2000));
  const listed = texts.hold(configMaps, received(object), false);
  t.equal(listed.revision, '7');
  t.equal(listed.size, 1000);
  t.not(listed.object, object, 'an object of a list is text at once');
  t.strictSame(listed.object, object);
  t.equal(listed.object, listed.object, 'it is parsed once');
  const watched = texts.hold(configMaps, received(object), true);
  t.equal(watched.object, object, 'an object of a watch is not');
  const until2 = recent.now + 6;
  await until('some periods have passed', () => {
    recent.note({ usedAt: 0, compact: () => undefined }); // Turns end only while there are values.
    return recent.now >= until2;
  });
  t.not(watched.object, object);
  t.strictSame(watched.object, object);
});

t.test('objects of the same name in several clusters are restored, large ones are not written as text', async t => {
  const texts = new HeldTexts();
  const objects = Array.from({ length: 30 }, (_, i) =>
    configMap(`a-${i % 6}`, `${i}`.padStart(300 * (1 + (i % 6)), `${i % 6} `), `${i}`),
  );
  const held = objects.map(object => texts.hold(configMaps, received(object), false));
  t.strictSame(
    held.map(({ object }) => object),
    objects,
  );
  const large = { object: configMap('large', 'x'), size: 1 << 20 };
  t.equal(texts.hold(configMaps, large, false).object, large.object);
});
