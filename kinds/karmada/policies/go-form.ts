/** Upstream's webhooks read an object into its Go type and write it again. What clients see of that is done here. */
import { Shown } from '../../../apimachinery/errors/faults.js';
import { goJson } from '../../../lib/go/go-text.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

/**
 * An object as its Go type writes it: what is empty or unknown left out, quantities in their canonical form. Shares only free JSON with the
 * object given. Throws DecodeError when it does not fit.
 */
export const goForm = <T>(object: unknown, type: Schema): T => canonical<T>(object, type).object;

/** A struct, or a list of them, as the text of a fault shows it. The object is known to fit. */
export const asGo = (value: unknown, type: Schema): Shown => new Shown(goJson(goForm(value, type)));
