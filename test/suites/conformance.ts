import '../conformance/golden.test.js';
import '../conformance/replay.test.js';
import '../conformance/round-trip/codec.test.js';
import '../conformance/round-trip/server.test.js';
