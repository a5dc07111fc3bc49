// `homeostat completion SHELL`: scripts made from the command tree, so they never lag behind it.

import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';

export function completion(program: Command, shell: string): Promise<void> {
  const commands = program.commands.filter((command) => command.name() !== 'help');
  switch (shell) {
    case 'bash':
      process.stdout.write(bash(commands));
      break;
    case 'zsh':
      process.stdout.write(zsh(commands));
      break;
    case 'fish':
      process.stdout.write(fish(commands));
      break;
    default:
      throw new CliError(`no completion for ${shell}; there is one for bash, zsh and fish`);
  }
  return Promise.resolve();
}

function longFlags(command: Command): readonly string[] {
  return command.options.flatMap((option) => (option.long ? [option.long] : []));
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => `    ${command.name()}) words="${longFlags(command).join(' ')}" ;;`);
  return [
    '_homeostat() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${commands.map((command) => command.name()).join(' ')}"`,
    '  else case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _homeostat homeostat',
    '',
  ].join('\n');
}

function zsh(commands: readonly Command[]): string {
  const names = commands.map((command) => `    '${command.name()}:${command.description().replaceAll("'", '')}'`);
  const cases = commands.map((command) => `    ${command.name()}) compadd -- ${longFlags(command).join(' ')} ;;`);
  return [
    '#compdef homeostat',
    '_homeostat() {',
    '  local -a commands',
    '  commands=(',
    ...names,
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  case "$words[2]" in',
    ...cases,
    '  esac',
    '  _files',
    '}',
    'compdef _homeostat homeostat',
    '',
  ].join('\n');
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c homeostat -n __fish_use_subcommand -f -a ${command.name()} -d '${command.description().replaceAll("'", '')}'`,
    ...command.options.flatMap((option) =>
      option.long === undefined || option.long === null
        ? []
        : [
            `complete -c homeostat -n '__fish_seen_subcommand_from ${command.name()}' -l ${option.long.slice(2)} -d '${option.description.replaceAll("'", '')}'`,
          ],
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
