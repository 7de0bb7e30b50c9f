/** The sections of the conformance report. Each replays recordings on Flagship and reports what agrees. */
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { golden } from '../data.js';
import { apiClient } from './call.js';
import { checks } from './golden/checks.js';
import { etcdLists, etcdServed } from './golden/etcd.js';
import { area, areas, replayArea, type Result } from './replay.js';
import { playFile, scenarioFiles, scenariosIn } from './scenarios/scenario-files.js';
import { withFlagship } from './with-flagship.js';

/** One line of a table. */
export interface Row {
  readonly name: string;
  readonly results: readonly Result[];
  /** Number of recorded vectors that are not compared yet. */
  readonly notRun: number;
}

interface Run {
  /** Returns whether to run a recording with the name `ROW/NAME`. */
  readonly wanted: (name: string) => boolean;
  /** Milliseconds within which a scenario must reach an expected state. */
  readonly withinMs: number;
  /** Whether the states after a failed one of a scenario are compared, too. */
  readonly all: boolean;
  readonly report: (row: Row) => void;
}

interface Section {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  run(run: Run): Promise<void>;
}

const corpus: Section = {
  name: 'corpus',
  title: 'Requests to kube-apiserver',
  about:
    'Requests and the responses of kube-apiserver 1.36, replayed on `flagship up --controllers=-*`. Status, headers, ' +
    'warnings and bodies must be equal, key by key. Masked on both sides: uids, resource versions, times, generated names, continue ' +
    'tokens, addresses and ports, storage version hashes, descriptions of columns, the order of managedFields.',
  async run({ wanted, report }) {
    for (const name of areas) {
      const recording = area(name);
      if (!recording.cases.some(each => wanted(`${name}/${each.name}`))) continue;
      const results = await withFlagship(['--controllers=-*'], async ({ kubeconfig }) => {
        const server = apiClient(kubeconfigEndpoint(kubeconfig), 'corpus/1.0');
        try {
          return await replayArea(server, recording, each => wanted(`${name}/${each}`));
        } finally {
          server.close();
        }
      });
      report({ name, results, notRun: 0 });
    }
  },
};

const functions: Section = {
  name: 'golden',
  title: "Karmada's functions",
  about:
    "Inputs and results of Karmada's own functions (for protobuf: of kube-apiserver), compared with the results of Flagship's functions. " +
    'Recordings that are not compared yet are listed under [Not run](#not-run).',
  async run({ wanted, report }) {
    const areas = [
      'admission',
      'estimators',
      'interpreter',
      'matching',
      'names',
      'overrides',
      'protobuf',
      'scheduling',
    ];
    for (const name of areas) {
      const recording = new Set(golden(name).cases.map(vector => vector.name));
      for (const check of checks.filter(check => check.area === name)) {
        const row = `${name}: ${check.part}`;
        if (!wanted(row)) continue;
        const results = await check.run();
        for (const result of results) recording.delete(result.name);
        report({ name: row, results, notRun: check.notRun?.count ?? 0 });
      }
      if (recording.size > 0 && wanted(name)) report({ name: `${name}: others`, results: [], notRun: recording.size });
    }
    const lists = "etcd: lists of a karmada-apiserver's store";
    if (!wanted(lists)) return;
    const results = await etcdServed();
    report({ name: lists, results: results ?? [], notRun: results ? 0 : etcdLists() });
  },
};

const plays: Section = {
  name: 'scenarios',
  title: 'Scenarios with Karmada and two members',
  about:
    'Steps of a user, and the resulting state of the control plane and of two members in Karmada: labels, annotations, finalizers, ' +
    'conditions, events, columns. Repeated with `flagship up --members 2`. Each state must be reached within 5 seconds, on a busy machine ' +
    'in proportionally more; a timer of Karmada itself counts in addition.',
  async run({ wanted, report, withinMs, all }) {
    for (const file of scenarioFiles) {
      const chosen = scenariosIn(file).filter(({ name }) => wanted(`${file}/${name}`));
      if (chosen.length === 0) continue;
      report({ name: file, results: await playFile(file, chosen, { withinMs, all }), notRun: 0 });
    }
  },
};

export const sections: readonly Section[] = [corpus, functions, plays];
