import '../registry/kinds/native.test.js';
import '../registry/kinds/corpus.test.js';
import '../registry/kinds/core/service-addresses.test.js';
