// The homeostat command: builds the command tree (data only) and loads the code of the command that runs.
// Exit codes: 0 done, 1 failed or wrong usage, 2 the reader of `apply --dry-run`-like checks said no.

import { Command, CommanderError } from 'commander';
import { apiServerFlags } from './flags/apiserver-flags.ts';
import { controllerManagerFlags } from './flags/controller-manager-flags.ts';
import { addFlags, type FlagSpec, type FlagValues, flagValues } from './flags/flag.ts';
import { kubeletFlags } from './flags/kubelet-flags.ts';
import { loggingFlags } from './flags/logging-flags.ts';
import { schedulerFlags } from './flags/scheduler-flags.ts';
import { upFlags } from './flags/up-flags.ts';
import { addResourceCommands } from './resource-commands.ts';
import { CliError } from './cli-error.ts';

/** Runs the command line; sets process.exitCode and resolves when the command has ended. */
export async function main(args: readonly string[]): Promise<void> {
  const program = createProgram();
  // A reader that has enough, as in `homeostat events | head`, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** The whole command tree; also what completion and the reference are made from. */
export function createProgram(): Command {
  const program = new Command('homeostat');
  program
    .description(
      "Kubernetes' state-keeping machine: API server, controllers, scheduler and nodes, in one process or many.",
    )
    .exitOverride()
    .showHelpAfterError('(run with --help for the flags)')
    .configureOutput({ outputError: (text, write) => write(text) });
  component(program, 'up', 'Run a whole cluster in one process.', upFlags, async (values) =>
    (await import('./commands/up.ts')).up(values),
  );
  component(program, 'apiserver', 'Run the API server alone.', apiServerFlags, async (values) =>
    (await import('./commands/apiserver.ts')).apiserver(values),
  );
  component(program, 'controller-manager', 'Run the controllers alone.', controllerManagerFlags, async (values) =>
    (await import('./commands/controller-manager.ts')).controllerManager(values),
  );
  component(program, 'scheduler', 'Run the scheduler alone.', schedulerFlags, async (values) =>
    (await import('./commands/scheduler.ts')).scheduler(values),
  );
  component(program, 'kubelet', 'Run node agents alone.', kubeletFlags, async (values) =>
    (await import('./commands/kubelet.ts')).kubelet(values),
  );
  addResourceCommands(program);
  component(
    program,
    'demo',
    'Show the loop at work, in one minute of text.',
    [
      { name: 'virtual-time', type: 'bool', default: false, help: 'Run it in virtual time, in a second, from a seed.' },
      { name: 'seed', type: 'int', default: 1, help: 'Seed of --virtual-time.' },
    ],
    async (values) => (await import('./commands/demo.ts')).demo(values),
  );
  component(
    program,
    'kubeconfig',
    'Print the kubeconfig of a cluster made by up, or merge it into ~/.kube/config.',
    [
      { name: 'data-dir', type: 'string', default: '.homeostat', help: 'Data directory of the cluster.' },
      {
        name: 'merge',
        type: 'bool',
        default: false,
        help: 'Add a context to ~/.kube/config (or KUBECONFIG) and make it the current one.',
      },
      { name: 'context', type: 'string', default: 'homeostat', help: 'Name of the context.' },
    ],
    async (values) => (await import('./commands/kubeconfig.ts')).kubeconfig(values),
  );
  component(
    program,
    'reset',
    'Delete the data directory of a cluster; asks first.',
    [
      { name: 'data-dir', type: 'string', default: '.homeostat', help: 'Data directory of the cluster.' },
      { name: 'yes', type: 'bool', default: false, help: 'Do not ask.' },
    ],
    async (values) => (await import('./commands/reset.ts')).reset(values),
  );
  component(
    program,
    'version',
    'Print the version.',
    [{ name: 'output', type: 'string', help: 'json for JSON.' }],
    async (values) => (await import('./commands/version.ts')).version(values),
  );
  program
    .command('completion')
    .description('Print a completion script for bash, zsh or fish.')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => (await import('./commands/completion.ts')).completion(createProgram(), shell));
  for (const command of program.commands) command.exitOverride();
  return program;
}

function component(
  program: Command,
  name: string,
  description: string,
  specs: readonly FlagSpec[],
  run: (values: FlagValues) => Promise<void>,
): void {
  const all = [...specs, ...loggingFlags];
  const command = program.command(name).description(description).allowExcessArguments(false);
  addFlags(command, all).action(() => run(flagValues(command, all)));
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 || error.code === 'commander.helpDisplayed' ? 0 : 1;
  if (error instanceof CliError) {
    process.stderr.write(`${error.text}\n`);
    return error.exitCode;
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
