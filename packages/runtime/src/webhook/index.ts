// Public names of @homeostat/runtime/webhook: webhooks of operators, without sockets. The server is in `@homeostat/runtime/node`.

export type {
  AdmissionContext,
  AdmissionObjects,
  AdmissionOperation,
  AdmissionRequest,
  HandlerContext,
} from './admission-request.ts';
export type { AdmissionWebhookOptions } from './admission-webhook.ts';
// What a validating webhook answers with.
export {
  duplicate,
  type FieldError,
  type FieldErrorType,
  FieldPath,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '@homeostat/machinery';
export {
  type ConversionWebhookOptions,
  convertKind,
  createConversionWebhook,
  type KindConversion,
  type KindConversionOptions,
  type Spoke,
} from './conversion-webhook.ts';
export { type CaBundleTargets, injectCaBundle, type InjectCaBundleOptions } from './inject-ca-bundle.ts';
export { type InstalledWebhooks, installWebhooks, type InstallWebhooksOptions } from './install-webhooks.ts';
export {
  createMutatingWebhook,
  type MutableOperation,
  type MutatingWebhookOptions,
  type MutationContext,
} from './mutating-webhook.ts';
export { createValidatingWebhook, type ValidatingWebhookOptions, type ValidationResult } from './validating-webhook.ts';
export {
  clientOf,
  type WebhookConfigurationOptions,
  webhookConfigurations,
  type WebhookConfigurations,
} from './webhook-configurations.ts';
export { createWebhookHandler, type WebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts';
export { type AdmissionTarget, BadReviewError, type ReviewContext, type Webhook } from './webhook.ts';
export type {
  OperatorWebhooks,
  ServeWebhooks,
  WebhookCertificates,
  WebhookServing,
  WebhookServingParts,
} from '../operator/operator-webhooks.ts';
