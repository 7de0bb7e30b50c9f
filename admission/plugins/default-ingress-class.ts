import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Ingress } from '../../api/kubernetes/networking.js';
import type { AdmissionDeps, AdmissionPlugin } from '../../registry/admission-plugin.js';
import { defaultClass } from './default-class.js';
import { defaultIngressClassAnnotation, ingressClassAnnotation } from '../../api/kubernetes/well-known.js';

const classes: GroupVersionResource = { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses' };
const defaults = [defaultIngressClassAnnotation];

/** Sets the default class of new Ingresses without a class. */
// as plugin/pkg/admission/network/defaultingressclass
export function defaultIngressClass({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    resources: ['ingresses.networking.k8s.io'],
    async mutate({ operation, subresource, object }) {
      if (operation !== 'CREATE' || subresource !== '') return;
      const ingress = object as Ingress;
      const chosen = ingress.spec?.ingressClassName ?? ingress.metadata.annotations?.[ingressClassAnnotation];
      if (chosen !== undefined) return;
      const name = (await defaultClass(client, classes, defaults))?.metadata.name;
      if (name !== undefined) (ingress.spec ??= {}).ingressClassName = name;
    },
  };
}
