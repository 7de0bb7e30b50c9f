/** Upstream's webhooks read an object into its Go type and write it again. This module reproduces the effects that clients see. */
import { PrintedValue } from '../../../apimachinery/errors/faults.js';
import { goJson } from '../../../lib/go/go-text.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

/**
 * Returns an object as its Go type writes it: empty and unknown fields left out, quantities in canonical form. Shares only free-form JSON with
 * the given object. Throws DecodeError if it does not fit.
 */
export const goForm = <T>(object: unknown, type: Schema): T => canonical<T>(object, type).object;

/** Returns a struct, or a list of structs, as error texts show it. The object must fit the type. */
export const asGo = (value: unknown, type: Schema): PrintedValue => new PrintedValue(goJson(goForm(value, type)));
