#!/usr/bin/env bash
# A worker in bash and psql: runs a command for each job of a queue.
#
#   examples/worker.sh [--queue NAME] [--lease SECONDS] [--poll SECONDS] [--json] [--once] \
#     COMMAND [ARG...]
#
# The command reads the job's payload, JSON, from its standard input, and finds the rest in its
# environment: PGAGENT_JOB_ID, PGAGENT_THREAD_ID, PGAGENT_TOKEN (the fencing token, which every
# write of the run carries) and PGAGENT_ATTEMPT. Its standard output is the result: text, or JSON
# with --json.
#
#   exit 0    the job is COMPLETED
#   exit 65   it is FAILED: a retry cannot help (EX_DATAERR)
#   exit 75   it goes back, and the attempt is not counted (EX_TEMPFAIL)
#   others    it is retried later, and FAILED once its attempts are used up
#
# libpq's variables say which database: PGHOST, PGDATABASE, PGUSER and so on. With --once it ends
# when nothing is due, and with 69 when it cannot ask. SIGTERM and SIGINT end it too: the command
# gets SIGTERM, and its job goes back. Killed, it leaves the job to its lease.
set -uo pipefail

main() {
  local queue=default lease=60 poll=1 once=false answer refusal=''
  result="to_jsonb(:'output'::text)"
  while [[ ${1-} == --* ]]; do
    [[ $# -gt 1 || $1 == --help || $1 == --json || $1 == --once ]] || usage "what after $1?"
    case $1 in
      --queue) queue=$2; shift 2 ;;
      --lease) lease=$2; shift 2 ;;
      --poll) poll=$2; shift 2 ;;
      --json) result=":'output'::jsonb"; shift ;;
      --once) once=true; shift ;;
      --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;;
      *) usage "there is no option $1" ;;
    esac
  done
  [[ $# -gt 0 ]] || usage "which command?"

  work=$(mktemp -d) command='' stopping=false
  # A child that is ended at once still has these traps: they are for the worker alone.
  trap '[[ $BASHPID != "$$" ]] || rm -rf "$work"' EXIT
  trap '[[ $BASHPID == "$$" ]] || exit 143; stopping=true; end_command' TERM INT
  while [[ $stopping == false ]]; do
    answer=$(ask "select job_id, fencing_token, attempt, payload, thread_id
      from pgagent.claim_job(worker => :'worker', queue => :'queue', lease => :'lease');" \
      worker="$(hostname):$$" queue="$queue" lease="$lease s") || {
        # Said when it changes, not at every look.
        [[ $refusal == "${answer:=no answer from the server}" ]] \
          || echo "worker.sh: no claim: $answer" >&2
        refusal=$answer answer=''
        [[ $once == false ]] || exit 69
        sleep "$poll" & wait $!
        continue
      }
    refusal=''
    if [[ -n $answer ]]; then
      run "$answer" "$lease" "$@"
    elif [[ $once == true ]]; then
      break
    else
      sleep "$poll" & wait $!
    fi
  done
}

usage() {
  echo "worker.sh: $1; see --help" >&2
  exit 64
}

# Runs the command for a claimed job, and tells the server what became of it.
run() {
  local lease=$2 attempt payload thread code heartbeat
  # JSON and ids hold no such characters; what a thread is called may, and comes last.
  IFS=$'\x1f' read -r -d '' job token attempt payload thread <<<"$1"
  thread=${thread%$'\n'}
  shift 2
  rm -f "$work/lost"
  set -m # each in a process group of its own, so that all of it can be ended
  PGAGENT_JOB_ID=$job PGAGENT_THREAD_ID=$thread PGAGENT_TOKEN=$token PGAGENT_ATTEMPT=$attempt \
    "$@" <<<"$payload" >"$work/output" &
  command=$!
  [[ $stopping == false ]] || end_command # the signal came before there was anything to end
  renew "$lease" &
  heartbeat=$!
  set +m
  # A signal ends the waiting, and not the command.
  while wait "$command"; code=$?; kill -0 "$command" 2>/dev/null; do :; done
  command=''
  kill -- "-$heartbeat"
  wait "$heartbeat"

  if [[ -e $work/lost ]]; then
    echo "worker.sh: lost job $job: $(<"$work/lost")" >&2
  elif [[ $stopping == true || $code == 75 ]]; then
    tell "select pgagent.release_job(:'job', :token);"
  elif [[ $code != 0 ]]; then
    tell "select pgagent.fail_job(
        :'job', :token, jsonb_build_object('type', 'exit', 'message', 'exit code ' || :code),
        fatal => :code = 65
      );" code="$code"
  else
    # The shell command within \set reads the file: arguments of programs have a limit.
    tell "\\set output \`cat '$work/output'\`
      select pgagent.complete_job(:'job', :token, $result);"
  fi
}

# Renews the lease at a third of it. Ends the command when the server says that the job is
# somebody else's or should stop, or has not answered for two thirds of the lease.
renew() {
  local lease=$1 heard=$SECONDS answer
  while sleep "$(awk "BEGIN { print $lease / 3 }")"; do
    if answer=$(ask "select cancel_requested from pgagent.renew_lease(:'job', :token);" \
      job="$job" token="$token"); then
      heard=$SECONDS
      [[ $answer != t* ]] || end_command
    elif [[ $answer == PA00[236] ]] || ((SECONDS - heard >= lease * 2 / 3)); then
      echo "${answer:-no answer from the server}" >"$work/lost"
      end_command
    fi
  done
}

# Says what became of the job, and again while the server is away for no longer than the lease:
# these calls may be repeated.
tell() {
  local sql=$1 answer until=$((SECONDS + lease))
  shift
  until answer=$(ask "$sql" job="$job" token="$token" "$@"); do
    if [[ -n $answer ]] || ((SECONDS >= until)); then
      echo "worker.sh: job $job: ${answer:-no answer from the server}" >&2
      return 1
    fi
    sleep 0.2
  done
}

end_command() {
  [[ -z $command ]] || kill -TERM -- "-$command" 2>/dev/null
}

# Runs SQL with psql variables, NAME=VALUE each. Prints its rows, with \x1f between fields. When it
# fails: the SQLSTATE, or nothing where the server was not reached.
ask() {
  local sql=$1 variables=() said
  shift
  for said; do variables+=(-v "$said"); done
  if ! said=$(psql -XqAt -F $'\x1f' -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate "${variables[@]}" \
    <<<"$sql" 2>&1); then
    sed -n 's/.*ERROR: *\([0-9A-Z]\{5\}\)$/\1/p' <<<"$said"
    return 1
  fi
  printf '%s' "$said"
}

main "$@"
