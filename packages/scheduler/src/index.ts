// Public names of @homeostat/scheduler.

export { defaultPlugins, defaultProfile, defaultSchedulerName } from './configuration/default-profile.ts';
export type { Profile, ProfilePlugin } from './configuration/profile.ts';
export { createScheduler, type Scheduler, type SchedulerOptions } from './scheduler.ts';
