// The port itself, against clients that do not behave.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { createAuthority, issueCertificate } from '../pki/certificate-authority.ts';
import { listen, type ListenerOptions } from './http-listener.ts';

const env = { ...createRealEnv(), log: silentLogger };

async function tls(): Promise<NonNullable<ListenerOptions['tls']>> {
  const validity = { nowMs: env.clock.nowMs(), days: 1 };
  const authority = await createAuthority({ commonName: 'ca' }, validity);
  return issueCertificate(authority, { commonName: 'x', usage: 'server', hosts: ['127.0.0.1'] }, validity);
}

for (const secure of [true, false]) {
  test(`a port closes in time whatever its clients hold open, ${secure ? 'TLS' : 'plain'}`, async () => {
    const listener = await listen({
      env,
      port: 0,
      drainMs: 50,
      ...(secure ? { tls: await tls() } : {}),
      handle: () => new Promise(() => {}),
    });
    const silent = net.connect(listener.port, '127.0.0.1');
    const halting = net.connect(listener.port, '127.0.0.1');
    for (const socket of [silent, halting]) socket.on('error', () => {});
    await Promise.all([once(silent, 'connect'), once(halting, 'connect')]);
    halting.write(secure ? Buffer.from([22, 3, 1, 1]) : 'POST / HTTP/1.1\r\nhost: a\r\ncontent-le');
    const before = env.clock.monotonicMs();
    await listener.close();
    assert.ok(env.clock.monotonicMs() - before < 5_000);
    silent.destroy();
    halting.destroy();
  });
}
