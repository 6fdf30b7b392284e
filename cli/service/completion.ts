import type { Command } from 'commander';

/** What completes the commands, their subcommands and options in a shell; null for one that is not known. */
export function completionScript(program: Command, shell: string): string | null {
  if (shell !== 'bash' && shell !== 'zsh') return null;
  const cases = pathsOf(program, []).map(({ path, words }) => `    '${path.join(' ')}') words='${words.join(' ')}' ;;`);
  const script = [
    '_bank() {',
    '  local words path= word',
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    `    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac`,
    '  done',
    '  case "$path" in',
    ...cases,
    "    *) words='' ;;",
    '  esac',
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -F _bank bank',
  ];
  return (shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit', ...script] : script).join('\n');
}

type Words = { readonly path: readonly string[]; readonly words: readonly string[] };

function pathsOf(command: Command, path: readonly string[]): Words[] {
  const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => (long ? [long] : []));
  const words = [...command.commands.map((one) => one.name()), ...options, '--help'];
  return [{ path, words }, ...command.commands.flatMap((one) => pathsOf(one, [...path, one.name()]))];
}
