import '../registry/kinds/native.test.js';
