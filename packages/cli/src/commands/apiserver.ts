// `homeostat apiserver`: the API server alone, with kube-apiserver's flags.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { parseCidrSloppy } from '@homeostat/api';
import {
  type AdmissionSelection,
  checkAdmissionSelection,
  parseAuthorizationModes,
  parseTokenFile,
} from '@homeostat/apiserver';
import { readSigningKey, readVerificationKeys, type TlsOptions } from '@homeostat/apiserver/node';
import { startCluster, type StartClusterOptions } from '@homeostat/cluster/node';
import { CliError } from '../cli-error.ts';
import { boolFlag, type FlagValues, listFlag, numberFlag, textFlag } from '../flags/flag.ts';
import { processEnv } from '../process/process-env.ts';
import { createProgress } from '../process/progress.ts';
import { signalStop } from '../process/run-until-signal.ts';
import { toStartProblem } from '../process/start-problem.ts';

export async function apiserver(values: FlagValues): Promise<void> {
  const progress = createProgress();
  const options = serverOptions(values);
  await serve({ ...options, env: processEnv(values, { quiet: true }), onProgress: progress.show }, progress.clear);
}

/** Starts, prints the ready line, and stays until a signal. */
export async function serve(options: StartClusterOptions, beforeReady: () => void): Promise<void> {
  const stop = signalStop();
  try {
    const started = await startCluster(options);
    stop.signal.addEventListener('abort', () => void started.stop().catch(() => {}), { once: true });
    if (stop.signal.aborted) await started.stop();
    await Promise.race([started.ready, started.ended]);
    beforeReady();
    if (!stop.signal.aborted) process.stdout.write(`ready ${started.url} kubeconfig=${started.kubeconfig}\n`);
    await started.ended;
  } catch (error) {
    beforeReady();
    if (stop.signal.aborted) return;
    throw toStartProblem(error, { host: options.host, port: options.port, dataDir: options.dataDir });
  } finally {
    stop.dispose();
  }
}

/** What `up` and `apiserver` have in common, read from flags; a flag a command lacks counts as not given. */
export function serverOptions(values: FlagValues): Omit<StartClusterOptions, 'env'> {
  const storage = textFlag(values, 'storage') ?? 'sqlite';
  if (storage !== 'sqlite' && storage !== 'memory')
    throw new CliError(`--storage ${storage}: there is sqlite and memory`);
  const port = numberFlag(values, 'secure-port');
  if (port < 0 || port > 65_535) throw new CliError(`--secure-port ${port} must be between 0 and 65535, inclusive`);
  const advertiseAddress = textFlag(values, 'advertise-address');
  if (advertiseAddress !== undefined && isIP(advertiseAddress) === 0)
    throw new CliError(`--advertise-address ${advertiseAddress} is no IP address`);
  const host = textFlag(values, 'bind-address') ?? '127.0.0.1';
  if (isIP(host) === 0 && host !== 'localhost') throw new CliError(`--bind-address ${host} is no IP address`);
  const reconciler = textFlag(values, 'endpoint-reconciler-type') ?? 'lease';
  if (reconciler !== 'lease' && reconciler !== 'none')
    throw new CliError(`--endpoint-reconciler-type ${reconciler}: there is lease and none`);
  const certDir = textFlag(values, 'cert-dir');
  const kubeconfigOut = textFlag(values, 'kubeconfig-out');
  const timeout = values['request-timeout'];
  const minTimeout = values['min-request-timeout'];
  return {
    dataDir: textFlag(values, 'data-dir') ?? '.homeostat',
    storage,
    host,
    port,
    ...(advertiseAddress === undefined ? {} : { advertiseAddress }),
    ...(certDir === undefined ? {} : { certDir }),
    ...(kubeconfigOut === undefined ? {} : { kubeconfigOut }),
    advertise: reconciler !== 'none',
    tls: tlsOptions(values),
    security: securityOptions(values),
    server: {
      serviceClusterIpRanges: serviceRanges(values),
      ...nodePorts(values),
      ...(typeof timeout === 'number' ? { requestTimeoutMs: timeout } : {}),
      ...(typeof minTimeout === 'number' ? { minRequestTimeoutMs: minTimeout * 1000 } : {}),
    },
  };
}

function serviceRanges(values: FlagValues): readonly string[] {
  const ranges = (textFlag(values, 'service-cluster-ip-range') ?? '10.0.0.0/24').split(',').map((text) => text.trim());
  const wrong = ranges.find((text) => parseCidrSloppy(text) === undefined);
  if (wrong !== undefined)
    throw new CliError(`--service-cluster-ip-range ${wrong}: must be a range such as 10.0.0.0/24`);
  if (ranges.length > 2) throw new CliError('--service-cluster-ip-range: at most two ranges, one of each IP family');
  return ranges;
}

function tlsOptions(values: FlagValues): Partial<TlsOptions> {
  const cert = textFlag(values, 'tls-cert-file');
  const key = textFlag(values, 'tls-private-key-file');
  const clientCa = textFlag(values, 'client-ca-file');
  if ((cert === undefined) !== (key === undefined))
    throw new CliError('--tls-cert-file and --tls-private-key-file belong together');
  return {
    ...(cert === undefined || key === undefined ? {} : servingPair(cert, key)),
    ...(clientCa === undefined ? {} : { clientCa: [parse('client-ca-file', clientCa, certificates)] }),
  };
}

function servingPair(certFile: string, keyFile: string): Pick<TlsOptions, 'cert' | 'key'> {
  const pair = { cert: read('tls-cert-file', certFile), key: read('tls-private-key-file', keyFile) };
  checked(`tls-cert-file ${certFile}, --tls-private-key-file ${keyFile}`, () => createSecureContext(pair));
  return pair;
}

// A file without a certificate would let nobody in, without a word.
function certificates(text: string): string {
  for (const [pem] of text.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g))
    new X509Certificate(pem);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it holds no PEM certificate');
  return text;
}

function securityOptions(values: FlagValues): NonNullable<StartClusterOptions['security']> {
  const tokenFile = textFlag(values, 'token-auth-file');
  const issuers = listFlag(values, 'service-account-issuer');
  const audiences = listFlag(values, 'api-audiences');
  const modes = listFlag(values, 'authorization-mode');
  const admission: AdmissionSelection = {
    enable: listFlag(values, 'enable-admission-plugins'),
    disable: listFlag(values, 'disable-admission-plugins'),
  };
  for (const [name, selection] of Object.entries({
    'enable-admission-plugins': { enable: admission.enable ?? [] },
    'disable-admission-plugins': { disable: admission.disable ?? [] },
  }))
    checked(name, () => checkAdmissionSelection(selection));
  const signing = textFlag(values, 'service-account-signing-key-file');
  const verifying = listFlag(values, 'service-account-key-file').flatMap((file) =>
    parse('service-account-key-file', file, readVerificationKeys),
  );
  const signingKey =
    signing === undefined ? undefined : parse('service-account-signing-key-file', signing, readSigningKey);
  const trusted = verifying.length > 0 || signingKey === undefined ? verifying : [signingKey];
  return {
    ...(tokenFile === undefined ? {} : { staticTokens: parse('token-auth-file', tokenFile, parseTokenFile) }),
    ...(issuers.length === 0 ? {} : { issuers }),
    ...(audiences.length === 0 ? {} : { audiences }),
    ...(modes.length === 0
      ? {}
      : { authorizationModes: checked('authorization-mode', () => parseAuthorizationModes(modes.join(','))) }),
    ...(values['anonymous-auth'] === undefined ? {} : { anonymous: boolFlag(values, 'anonymous-auth') }),
    admission,
    ...(signingKey === undefined
      ? {}
      : {
          keys: { signingKey: () => Promise.resolve(signingKey), verificationKeys: () => trusted },
        }),
  };
}

function nodePorts(values: FlagValues): { readonly nodePortRange?: { readonly from: number; readonly to: number } } {
  const text = textFlag(values, 'service-node-port-range');
  if (text === undefined) return {};
  const match = /^(\d+)-(\d+)$/.exec(text);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || from < 1 || from > to || to > 65_535)
    throw new CliError(`--service-node-port-range ${text} must be like 30000-32767`);
  return { nodePortRange: { from, to } };
}

function parse<T>(flag: string, file: string, parser: (text: string) => T): T {
  const text = read(flag, file);
  return checked(`${flag} ${file}`, () => parser(text));
}

function checked<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new CliError(`--${what}: ${error instanceof Error ? error.message : String(error)}`, 1, { cause: error });
  }
}

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`--${flag}: ${error instanceof Error ? error.message : String(error)}`, 1, { cause: error });
  }
}
