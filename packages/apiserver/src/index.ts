// Public names of @homeostat/apiserver. The TLS port is under `./node`.

export { admissionPluginNames, type AdmissionSelection, checkAdmissionSelection } from './admission/plugin-table.ts';
export {
  type WebhookAnswer,
  webhookAnswerBytesMax,
  type WebhookCall,
  type WebhookCaller,
} from './admission/webhook/webhook-caller.ts';
export type { Digests, SigningKey, TokenKeys, VerificationKey } from './authentication/crypto-port.ts';
export { signJwt } from './authentication/jwt.ts';
export { parseTokenFile } from './authentication/static-tokens.ts';
export { type AuthorizationMode, parseAuthorizationModes } from './authorization/create-authorization.ts';
export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './server/admission.ts';
export { createApiServer } from './server/api-server.ts';
export type {
  ApiServer,
  ApiServerOptions,
  Impersonation,
  PodLogOptions,
  PodLogs,
  ServedResource,
  ServerParts,
  StartHook,
} from './server/api-server-options.ts';
export type { Authenticator } from './server/authenticator.ts';
export type { AuthorizationAttributes, AuthorizationResult, Authorizer } from './server/authorizer.ts';
export type { RequestContext } from './server/request-context.ts';
export { parseRequestInfo, type RequestInfo } from './server/request-info.ts';
export type { Route } from './server/route.ts';
export type { CachedReader, ObjectChange, ResourceTable, ServerHost } from './server/server-host.ts';
export { anonymousUser, loopbackUser, toUser, type User } from './server/user.ts';
export type { VirtualRequest, VirtualResource } from './server/virtual-resource.ts';
export type { WarningRecorder } from './server/warnings.ts';
export { createStandardParts, type StandardPartsOptions } from './standard-parts.ts';
