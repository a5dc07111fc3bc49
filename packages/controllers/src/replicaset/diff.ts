// The plan of a ReplicaSet. It is that of every owner of replicas: see `shared/replicas/replicas-plan.ts`.

export { replicasPlan as diff } from '../shared/replicas/replicas-plan.ts';
