import t from 'tap';
import { OwnWrites } from '../../../storage/etcd/own-writes.js';
import type { PrefixActivity } from '../../../storage/interface.js';

t.test('revisions are known to be unchanged if this client made all writes', async t => {
  const own = new OwnWrites();
  for (const revision of [10, 12, 11, 14]) own.wrote(`/a/${revision}`, revision);
  own.wrote('/b/13', 13);
  own.wrote('/b/16', 16);
  const table: readonly {
    readonly name: string;
    readonly given: readonly [prefix: string, since: number, to: number];
    readonly expect: PrefixActivity;
  }[] = [
    { name: 'no time', given: ['/a/', 10, 10], expect: 'nothing' },
    { name: 'others of ours', given: ['/a/', 12, 13], expect: 'nothing' },
    { name: 'these of ours', given: ['/a/', 12, 14], expect: 'something' },
    { name: 'before', given: ['/b/', 8, 12], expect: 'unknown' },
    { name: 'what somebody else did', given: ['/c/', 13, 16], expect: 'unknown' },
    { name: 'what is to come', given: ['/c/', 15, 17], expect: 'unknown' },
    { name: 'a neighbour with a longer name', given: ['/', 9, 14], expect: 'something' },
    { name: 'all of it', given: ['/c/', 9, 14], expect: 'nothing' },
  ];
  for (const { name, given, expect } of table) t.equal(own.happened(...given), expect, name);

  for (let revision = 15; revision <= 5000; revision++) own.wrote('/b/', revision);
  t.equal(own.happened('/a/', 5000 - 4096, 5000), 'nothing', 'the number of kept writes is limited');
  t.equal(own.happened('/a/', 5000 - 4097, 5000), 'unknown');
  own.forget();
  t.equal(own.happened('/a/', 4999, 5000), 'unknown');
});
