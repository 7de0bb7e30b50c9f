/** The only file that knows the package @grpc/grpc-js (docs/decisions/0020-grpc.md). */
import type * as grpcPackage from '@grpc/grpc-js';

export type Grpc = typeof grpcPackage;
export type GrpcServer = grpcPackage.Server;
export type GrpcClient = grpcPackage.Client;
export type UnaryCall = grpcPackage.ServerUnaryCall<Buffer, Buffer>;
export type UnaryCallback = grpcPackage.sendUnaryData<Buffer>;
export type ChannelCredentials = grpcPackage.ChannelCredentials;
export type ServiceError = grpcPackage.ServiceError;

let loading: Promise<Grpc> | undefined;

/** Loads the package at the first call: a start without estimators does not wait for it. */
export const loadGrpc = (): Promise<Grpc> => (loading ??= import('@grpc/grpc-js'));
