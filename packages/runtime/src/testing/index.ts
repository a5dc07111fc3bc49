// Public names of @homeostat/runtime/testing: what users' own tests need of the runtime.

export { EventContract, type EventContractOptions } from './event-contract.ts';
