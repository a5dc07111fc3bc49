// The scheduler inside the process, acting as kube-scheduler's account.

import { createScheduler, type SchedulerOptions } from '@homeostat/scheduler';
import type { Component } from '../component.ts';
import { schedulerUser } from '../identities.ts';

export type SchedulerComponentOptions = Omit<SchedulerOptions, 'env' | 'client' | 'eventClient'>;

const userAgent = 'kube-scheduler';

export function schedulerComponent(options: SchedulerComponentOptions = {}): Component {
  return {
    name: 'scheduler',
    create: ({ env, clientAs }) => createScheduler({ ...options, env, client: clientAs(schedulerUser, userAgent) }),
  };
}
