/** The service of Karmada's estimators. */

/** The methods, by the name of their metrics. */
export type EstimatorMethod = 'MaxAvailableReplicas' | 'MaxAvailableComponentSets' | 'GetUnschedulableReplicas';

/** Returns the path of a method. */
export const methodPath = (method: EstimatorMethod): string =>
  `/github.com.karmada_io.karmada.pkg.estimator.service.Estimator/${method}`;

/** The key of the metadata that name the object: `kind=Deployment, name=ns/name`. */
export const objectMetadata = 'object';

/** Maximum size of a message in bytes. as google.golang.org/grpc defaultServerMaxReceiveMessageSize */
export const maxEstimatorMessageBytes = 4 * 1024 * 1024;
