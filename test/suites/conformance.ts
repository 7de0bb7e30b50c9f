import '../conformance/golden.test.js';
import '../conformance/replay.test.js';
