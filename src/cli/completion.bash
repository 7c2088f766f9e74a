# Completion of the pawl command for bash. Names come from the command itself, so new models and methods complete at once.
_pawl() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} pawl=${COMP_WORDS[0]}
  local choices=""
  if ((COMP_CWORD == 1)); then
    choices="run sweep compare advise list methods completion --help --version"
  elif [[ $before == --method ]]; then
    choices="auto $("$pawl" methods --names 2>/dev/null)"
  elif [[ $before == --events ]]; then
    choices="certified compere compere-quintic daspke daspke-differential daspke-plain dasrt none"
  elif [[ $before == --formulation ]]; then
    choices="auto acceleration baumgarte(12,70) baumgarte(1/h) penalty(1e5,1e3) sliding(10) state-space index-2 stabilized-index-2 index-3 index-1 overdetermined"
  elif [[ $before == --stabilization ]]; then
    choices="auto projection none s-full s-both s-both2 s-vel s-pos sweeps koenders"
  elif [[ $before == --linear-solver ]]; then
    choices="auto dense band sparse krylov"
  elif [[ $before == --jacobian ]]; then
    choices="auto differences"
  elif [[ $before == --design ]]; then
    choices="grid random sobol latin"
  elif [[ $before == --keep ]]; then
    choices="final events t_end steps rhs final: range: time_of: last_time_of: count_of:"
  elif [[ $before == --out || $before == --csv || $before == --hdf5 || $before == --npz || $before == --report || $before == --plot-to ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
    return
  elif [[ $command == sweep && $word != -* && $COMP_CWORD -eq 2 ]]; then
    COMPREPLY=($(compgen -W "$("$pawl" list --names 2>/dev/null)" -- "$word") $(compgen -d -- "$word") $(compgen -f -X "!*.graph" -- "$word"))
    return
  elif [[ $command == sweep && $word == -* ]]; then
    choices="--vary --random --design --runs --seed --indices --keep --out --jobs --part --max-steps --max-seconds --status --failed --csv --hdf5 --npz --report --method --rtol --atol --step --max-step --start --stop --set --input --events --formulation --stabilization --linear-solver --max-events --help"
  elif [[ ($command == run || $command == advise) && $word != -* && $COMP_CWORD -eq 2 ]]; then
    choices=$("$pawl" list --names 2>/dev/null)
  elif [[ $command == run && $word == -* ]]; then
    choices="--method --rtol --atol --step --stop --start --max-step --set --input --out --samples --json --plot --plot-to --report --report-exact --events --event-tolerance --window --amplitude --max-events --at-accumulation --formulation --stabilization --inconsistent --fix --pull-samples --linear-solver --jacobian --explain --verify --verify=quick --verify-digits --verify-tighten --help"
  elif [[ $command == compare && $word != -* ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
    return
  elif [[ $command == compare ]]; then
    choices="--report --help"
  elif [[ $command == advise && $word == -* ]]; then
    choices="--rtol --tolerance --atol --set --start --stop --method --step --events --formulation --stabilization --json --help"
  elif [[ $command == list && $word == -* ]]; then
    choices="--json --names --messages --help"
  elif [[ $word == -* ]]; then
    choices="--json --names --help"
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$word"))
}
complete -F _pawl pawl
