/**
 * The search index of the objects of one resource of one cluster: from each term to the objects that contain it. A changed object gets a new number,
 * and the old one stays in the lists of its terms until a sweep; sweeps run when more numbers are dead than alive.
 */
import { SortedTexts } from '../../lib/collections/sorted-texts.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { IndexEntry } from './entry.js';
import { NumberedObjects } from './numbered-objects.js';
import { bitsFor, isMarked, mark, Postings } from './postings.js';

/** Estimated bytes of an object besides its terms, of a term besides its text, and of a list of numbers besides the numbers. */
const objectBytes = 200;
const termBytes = 84;
const listBytes = 128;
/** Dead numbers for which no sweep is worth its time. */
const fewDead = 1024;

/** Returns the most bytes that the entry can take in the index. */
export function mostBytesOf({ terms }: IndexEntry): number {
  let bytes = objectBytes;
  for (const term of terms) bytes += termBytes + listBytes + 2 * term.length + 16;
  return bytes;
}

export class CollectionIndex {
  /** A term of one object has its number only: a list is larger than the rest of its entry. */
  readonly #terms = new Map<string, number | Postings>();
  /** The terms in their order, in which those with a common beginning follow each other. */
  readonly #sortedTerms = new SortedTexts();
  /** The objects that are in it. */
  readonly objects = new NumberedObjects();
  /** The numbers that are in lists of terms, but belong to no object. */
  #dead: number[] = [];
  #bytes = 0;

  /** The estimated memory. */
  get bytes(): number {
    return this.#bytes;
  }

  get needsSweep(): boolean {
    return this.#dead.length > fewDead && this.#dead.length > this.objects.size;
  }

  put(key: string, { namespace, health, terms }: IndexEntry): void {
    this.remove(key);
    const number = this.objects.add(key, namespace, health);
    this.#bytes += objectBytes;
    for (const term of terms) this.#addTerm(term, number);
  }

  remove(key: string): void {
    const number = this.objects.remove(key);
    if (number === undefined) return;
    this.#dead.push(number);
    this.#bytes -= objectBytes;
  }

  /** Sets the bits of the objects that contain a term. */
  mark(term: string, bits: Uint32Array): void {
    this.#markAll(this.#terms.get(term), bits);
  }

  /** Sets the bits of the objects that contain a term with this beginning. It takes as long as these terms are many, whatever the others. */
  *markPrefix(prefix: string, bits: Uint32Array): InSteps<void> {
    const strides = new Strides(512);
    for (const term of this.#sortedTerms.startingWith(prefix)) {
      this.#markAll(this.#terms.get(term), bits);
      if (strides.isOver) yield;
    }
  }

  /** Removes the dead numbers from all lists, so that they can be used again. The index may be read and changed between the steps. */
  *sweep(): InSteps<void> {
    const dead = this.#dead;
    this.#dead = [];
    const bits = bitsFor(this.objects.limit);
    for (const number of dead) mark(bits, number);
    const strides = new Strides(64);
    for (const [term, numbers] of this.#terms) {
      this.#sweepTerm(term, numbers, bits);
      if (strides.isOver) yield;
    }
    for (const number of dead) this.objects.reuse(number);
  }

  #addTerm(term: string, number: number): void {
    const known = this.#terms.get(term);
    if (known === undefined) {
      this.#terms.set(term, number);
      this.#sortedTerms.add(term);
      this.#bytes += termBytes + term.length;
      return;
    }
    if (typeof known === 'number') {
      const list = new Postings(known, number);
      this.#terms.set(term, list);
      this.#bytes += listBytes + list.bytes;
      return;
    }
    const before = known.bytes;
    known.add(number);
    this.#bytes += known.bytes - before;
  }

  #sweepTerm(term: string, numbers: number | Postings, dead: Uint32Array): void {
    if (typeof numbers === 'number') {
      if (isMarked(dead, numbers)) this.#forget(term);
      return;
    }
    const before = numbers.bytes;
    numbers.drop(dead);
    this.#bytes += numbers.bytes - before;
    if (numbers.length > 0) return;
    this.#bytes -= listBytes + numbers.bytes;
    this.#forget(term);
  }

  #forget(term: string): void {
    this.#terms.delete(term);
    this.#sortedTerms.delete(term);
    this.#bytes -= termBytes + term.length;
  }

  #markAll(numbers: number | Postings | undefined, bits: Uint32Array): void {
    if (typeof numbers === 'number') mark(bits, numbers);
    else numbers?.mark(bits);
  }
}
