/** Custom objects that are expensive to validate against their schema. */
import { anything, listMap, object as objectSchema, text } from '../../custom-kinds.js';
import { definition } from './custom.js';
import { entries, range } from './objects.js';
import type { Row } from '../row.js';

/** Returns strings that a check of a format has to read to their end, or in many parts. */
const longTexts = (size: number): readonly string[] =>
  ['1', '1s', '1q', 'AAAA', 't', '0.', '0:', '00:', '1 ', '-', 'a.', 'é', '%C3'].map(part =>
    part.repeat(size / Buffer.byteLength(part)),
  );

const longFormats = ['byte', 'uri', 'email', 'duration', 'date-time', 'mac', 'ipv6', 'cidr', 'isbn', 'creditcard'];

export const customValueRows: readonly Row[] = [
  definition('any-of-required', 500, size => ({
    schema: objectSchema({
      list: {
        type: 'array',
        items: { ...anything, anyOf: range(20, i => ({ required: range(size, j => `r${i}-${j}`) })) },
      },
    }),
    specs: [{ list: range(size * 20, () => ({})) }],
  })),
  definition('all-of-lengths', 1_000_000, size => ({
    schema: objectSchema({
      k: { ...text, allOf: range(3000, i => ({ minLength: Math.floor(size / 2) + i, maxLength: size - i })) },
    }),
    specs: [{ k: '\u{1f600}'.repeat(size / 2) }],
  })),
  definition('all-of-formats', 2_000_000, size => ({
    schema: objectSchema({ k: { ...text, allOf: range(300, () => ({ format: 'byte' })) } }),
    specs: [{ k: 'AAAA'.repeat(size / 4) }],
  })),
  definition('all-of-fields', 40_000, size => ({
    schema: objectSchema({
      k: {
        ...anything,
        allOf: range(3000, i => ({ properties: { [`x${i}`]: { minLength: 1 } }, maxProperties: size })),
      },
    }),
    specs: [{ k: entries(size, i => [`p${i}`, 'v']) }],
  })),
  definition('enum-of-objects', 20_000, size => ({
    schema: objectSchema({ k: { ...anything, anyOf: range(3000, i => ({ enum: [{ a: i }] })) } }),
    specs: [{ k: { list: range(size, i => ({ i })) } }],
  })),
  definition('list-map-keys', 40_000, size => {
    const keys = range(16, i => `k${i}`);
    const { items, ...list } = listMap(
      keys,
      entries(keys.length, i => [`k${i}`, text]),
    );
    return {
      schema: objectSchema({ list: { ...list, items: { ...items, required: keys } } }),
      specs: [{ list: range(size, () => ({})) }, { list: range(size / 2, i => ({ k1: `a${i}`, k0: 'b' })) }],
    };
  }),
  definition('formats', 2_800_000, size => ({
    schema: objectSchema(entries(longFormats.length, i => [`k${i}`, { ...text, format: longFormats[i] }])),
    specs: longTexts(size / longFormats.length).map(k => entries(longFormats.length, i => [`k${i}`, k])),
  })),
  definition('format-duration', 2_800_000, size => ({
    schema: objectSchema({ k: { ...text, format: 'duration' } }),
    specs: ['1q', '1s', '1 '].map(part => ({ k: part.repeat(size / part.length) })),
  })),
  definition('format-uri-host', 2_800_000, size => ({
    schema: objectSchema({ k: { ...text, format: 'uri' } }),
    specs: ['%C3', '%25', 'a', ':1', 'a@', '!'].map(part => ({ k: `http://${part.repeat(size / part.length)}` })),
  })),
  definition('format-hostname', 10_000, size => ({
    schema: objectSchema({ list: { type: 'array', items: { ...text, format: 'hostname' } } }),
    specs: [{ list: range(size, i => `${'é'.repeat(55)}.${'a-'.repeat(30)}.${i}`) }],
  })),
];
