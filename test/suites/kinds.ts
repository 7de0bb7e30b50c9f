import '../registry/kinds/native.test.js';
import '../registry/kinds/corpus.test.js';
