// The refusal of a webhook as the client sees it: the webhook's own Status, made into an error that says whose it is.

import { ApiError, type Status } from '@homeostat/base';

const codeMin = 400;
/** HTTP knows no others. */
const codeMax = 999;

export function deniedBy(webhook: string, status: Partial<Status> | undefined): ApiError {
  const { code = 0, reason = '', message = '', details, metadata } = status ?? {};
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const said = message !== '' ? message : reason;
  return new ApiError({
    code: code > codeMax ? codeMin : Math.max(code, codeMin),
    reason,
    message: said === '' ? `${denied} without explanation` : `${denied}: ${said}`,
    ...(details === undefined ? {} : { details }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

/** What a request fails with when a webhook failed that must not: `failed calling webhook "n": …`. */
export function failedCalling(webhook: string, text: string): Error {
  return new Error(`failed calling webhook ${JSON.stringify(webhook)}: ${text}`);
}
