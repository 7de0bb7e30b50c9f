import '../registry/kinds/karmada/names.test.js';
