import t from 'tap';
import { goFloat, goFloatFixed } from '../../../lib/go/go-float.js';

t.test('floats are formatted with the fewest digits', async t => {
  const cases: [number, string][] = [
    [0, '0'],
    [-0, '-0'],
    [-5, '-5'],
    [1.5, '1.5'],
    [0.1, '0.1'],
    [100.5, '100.5'],
    [0.0001, '0.0001'],
    [0.00001234, '1.234e-05'],
    [999_999.5, '999999.5'],
    [1e6, '1e+06'],
    [1234567.5, '1.2345675e+06'],
    [1e300, '1e+300'],
    [5e-324, '5e-324'],
    [-0.25, '-0.25'],
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ];
  for (const [given, expect] of cases) t.equal(goFloat(given), expect, expect);
});

t.test('floats are formatted with a precision', async t => {
  const cases: [number, 'e' | 'f' | 'g', number, string][] = [
    [2.25, 'f', 1, '2.2'],
    [-0, 'f', 2, '-0.00'],
    [1500, 'e', 1, '1.5e+03'],
    [1250, 'g', 2, '1.2e+03'],
    [100, 'g', 5, '100'],
    [1e-5, 'g', 3, '1e-05'],
    [-Infinity, 'f', 2, '-Inf'],
  ];
  for (const [given, verb, precision, expect] of cases) t.equal(goFloatFixed(given, verb, precision), expect, expect);
});
