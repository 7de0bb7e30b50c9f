import t from 'tap';
import * as q from '../../../apimachinery/quantity/quantity.js';

t.test('texts become canonical', async t => {
  const cases: [string, string][] = [
    ['0', '0'],
    ['0Ki', '0'],
    ['000', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['.5', '500m'],
    ['5.', '5.'],
    ['0.001', '1m'],
    ['0.0001', '100u'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1.0000000001', '1000000001n'],
    ['100m', '100m'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1000000', '1M'],
    ['10000k', '10M'],
    ['12345678901234567890', '12345678901234567890'],
    ['1234567890123456789012', '1234567890123456789012'],
    ['1000E', '1000E'],
    ['1024Mi', '1Gi'],
    ['0.5Gi', '512Mi'],
    ['1.5Gi', '1536Mi'],
    ['1Ki', '1Ki'],
    ['0.5Ki', '512'],
    ['0.1Ki', '102400m'],
    ['0.0001Ki', '102400u'],
    ['1.1Ki', '1126400m'],
    ['10Ei', '9223372036854775807'],
    ['-10Ei', '-9223372036854775807'],
    ['8Ki', '8Ki'],
    ['2048Ki', '2Mi'],
    ['-1Ki', '-1Ki'],
    ['1e3', '1e3'],
    ['1000e3', '1e6'],
    ['10e3', '10e3'],
    ['12e6', '12e6'],
    ['1e-3', '1e-3'],
    ['1.5e3', '1500'],
    ['1E3', '1E3'],
    ['1E', '1E'],
    ['+5', '+5'],
    ['05', '05'],
    ['1.001', '1.001'],
    [' 1 ', '1'],
  ];
  for (const [given, expect] of cases) t.equal(q.canonicalQuantity(given), expect, `${given} is ${expect}`);
  t.equal(q.canonicalQuantity(0.1), '100m');
  t.equal(q.canonicalQuantity(2), '2');
  for (const [given] of cases) {
    const once = q.canonicalQuantity(given);
    t.equal(q.canonicalQuantity(once), once, `${once} is canonical`);
  }
});

t.test('invalid texts have the errors of upstream', async t => {
  const wrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const cases: [string, string][] = [
    ['', wrong],
    ['abc', wrong],
    ['1.2.3', wrong],
    ['1 2', wrong],
    ['--1', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
    ['1x', wrong],
    ['1iK', "unable to parse quantity's suffix"],
    ['1mm', "unable to parse quantity's suffix"],
    ['1K', "unable to parse quantity's suffix"],
  ];
  for (const [given, expect] of cases) {
    t.equal(q.quantityError(given), expect, `'${given}'`);
    t.throws(() => q.parseQuantity(given), { message: expect });
  }
  t.equal(q.quantityError('1Gi'), undefined);
});

t.test('texts of a megabyte are refused at once', async t => {
  const size = 1_000_000;
  for (const text of [
    '9'.repeat(size),
    `0.${'9'.repeat(size)}`,
    `${'0'.repeat(size)}x`,
    `${'1'.repeat(size)}${'0'.repeat(size)}x`,
    `1e${'9'.repeat(size)}`,
    `1${'e'.repeat(size)}`,
    `1${'eE'.repeat(size)}-${'1'.repeat(size)}x`,
    '.'.repeat(size),
  ])
    t.not(q.quantityError(text), undefined, text.slice(0, 20));
  t.equal(q.quantityError('9'.repeat(1000)), undefined, 'a thousand digits are read');
});

t.test('quantities are added, subtracted, compared and rounded', async t => {
  const p = q.parseQuantity;
  t.equal(q.quantityText(q.addQuantities(p('1Gi'), p('512Mi'))), '1536Mi');
  t.equal(q.quantityText(q.addQuantities(p('0'), p('1Gi'))), '1Gi');
  t.equal(q.quantityText(q.addQuantities(p('1'), p('100m'))), '1100m');
  t.equal(q.quantityText(q.subtractQuantities(p('1'), p('1500m'))), '-500m');
  t.equal(q.quantityText(q.subtractQuantities(p('1Gi'), p('1Gi'))), '0');
  t.equal(q.quantityText(q.multiplyQuantity(p('250m'), 4)), '1');
  t.equal(q.compareQuantities(p('1'), p('1000m')), 0);
  t.equal(q.compareQuantities(p('1Gi'), p('1G')), 1);
  t.equal(q.compareQuantities(p('-1'), p('1n')), -1);
  t.equal(q.quantityValue(p('1500m')), 2);
  t.equal(q.quantityValue(p('-1500m')), -2);
  t.equal(q.quantityMilliValue(p('1.0001')), 1001);
  t.equal(q.quantityMilliValue(p('2Ki')), 2048000);
  t.equal(q.quantitySign(p('-1m')), -1);
  t.equal(q.quantityFloat(p('1500m')), 1.5);
  t.equal(q.quantityText(q.milliQuantityOf(1500)), '1500m');
  t.equal(q.quantityText(q.quantityOf(2048, 'BinarySI')), '2Ki');
});
