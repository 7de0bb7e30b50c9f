import '../bench/answer-reader.test.js';
import '../bench/churn.test.js';
import '../bench/load.test.js';
import '../bench/long-scenarios.test.js';
import '../bench/propagate.test.js';
import '../bench/search.test.js';
import '../bench/table.test.js';
import '../bench/works.test.js';
