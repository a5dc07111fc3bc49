// The commands for those without kubectl: get, apply, delete, events. They follow kubectl's words, flags and exit codes; this
// file is their command lines, the work is in `commands/`.

import type { Command } from 'commander';

/** Adds the four commands. */
export function addResourceCommands(program: Command): void {
  target(program.command('get').description('Show resources.'))
    .argument('<resource...>', 'TYPE, TYPE NAME…, TYPE/NAME…, or TYPE,TYPE')
    .option('-o, --output <format>', 'json, yaml, name, wide, jsonpath=…; default a table')
    .option('-w, --watch', 'go on with changes after the first answer')
    .option('-l, --selector <labels>', 'label selector')
    .option('--field-selector <fields>', 'field selector')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--no-headers', 'leave out the header line')
    .option('--show-labels', 'add a column with the labels')
    .option('--ignore-not-found', 'say nothing when a named object does not exist')
    .action(async (resources: string[], options) => (await import('./commands/get.ts')).get(resources, options));
  target(program.command('apply').description('Apply manifests with server-side apply.'))
    .requiredOption('-f, --filename <path...>', 'files, directories, or - for standard input')
    .option('-R, --recursive', 'directories with all below them')
    .option('--dry-run <mode>', 'none or server', 'none')
    .option('--force-conflicts', 'take fields from other managers')
    .option('--field-manager <name>', 'name of the manager', 'homeostat')
    .option('-o, --output <format>', 'json, yaml or name')
    .action(async (options) => (await import('./commands/apply.ts')).apply(options));
  target(program.command('delete').description('Delete resources.'))
    .argument('[resource...]', 'TYPE NAME…, TYPE/NAME…')
    .option('-f, --filename <path...>', 'delete what these files name')
    .option('-R, --recursive', 'directories with all below them')
    .option('-l, --selector <labels>', 'label selector')
    .option('--all', 'all objects of the type')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--cascade <policy>', 'background, foreground or orphan', 'background')
    .option('--grace-period <seconds>', 'seconds to end gracefully; negative: as the object says', '-1')
    .option('--force', 'delete at once, without waiting for the node')
    .option('--ignore-not-found', 'an object that does not exist is no failure')
    .option('--no-wait', 'do not wait until it is gone')
    .action(async (resources: string[], options) =>
      (await import('./commands/delete.ts')).deleteResources(resources, options),
    );
  target(program.command('events').description('Show events, oldest first.'))
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--for <object>', 'events about TYPE/NAME')
    .option('--types <types>', 'Normal, Warning')
    .option('-w, --watch', 'go on with new events')
    .option('-o, --output <format>', 'json or yaml')
    .option('--no-headers', 'leave out the header line')
    .action(async (options) => (await import('./commands/events.ts')).events(options));
}

// What every command that talks to a server takes; the rules are kubectl's.
function target(command: Command): Command {
  return command
    .option(
      '--kubeconfig <path>',
      'kubeconfig file; default KUBECONFIG, then ~/.kube/config, then .homeostat/kubeconfig',
    )
    .option('--context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace; default that of the context')
    .option('--request-timeout <duration>', 'give up on a request after this time; 0 never', '0');
}
