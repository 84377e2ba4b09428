#!/usr/bin/env bash
# teammem.sh - teammem measured in the form of the peer scripts: the same trees, the same operations, the same metrics.
#
# PEERS names the folder of the peer scripts (default: ../shared/peers beside the repository). Run it alone, or side by
# side with others:   $PEERS/all.sh $PWD/bench/teammem.sh unison >results.csv
# The defaults are measured as shipped: secret scan, audit and durable commits on.
set -u
REPO="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
PEERS="${PEERS:-$REPO/../shared/peers}"
TEAMMEM="${TEAMMEM:-$REPO/bin/teammem}"
export PEERS TEAMMEM
# The library runs the script again in a network namespace of its own, where this file is still the script.
PEER=teammem
HERE_LIB="$PEERS/lib.sh"
[ -r "$HERE_LIB" ] || { echo "# teammem: no peer scripts at $PEERS, skipped" >&2; exit 77; }
# shellcheck source=/dev/null
. "$HERE_LIB"
[ -x "$TEAMMEM" ] || skip "$TEAMMEM not built, run make build"

as() { local who="$1"; shift; env HOME="$R/$who" "$TEAMMEM" "$@"; }
run_as() { local op="$1" who="$2"; shift 2; run "$op" env HOME="$R/$who" "$TEAMMEM" "$@"; }
project() { # project SLUG: a fresh project, linked by A and B
  local who token
  "$TEAMMEM" admin --data "$R/data" project add "$1" >/dev/null
  for who in A B; do
    token=$("$TEAMMEM" admin --data "$R/data" token create --member "$who" --project "$1" --scope sync:read,sync:write)
    as "$who" login "$URL" --token "$token" >/dev/null
    mkdir -p "$R/$who/work-$1" "$R/$who/mem-$1"
    as "$who" link "$R/$who/work-$1" --project "$1" --memory-dir "$R/$who/mem-$1" >/dev/null
  done
}

for n in $SIZES; do
  R="$WORK/$n"; mkdir -p "$R/A" "$R/B"; port=$(free_port)
  serve "$TEAMMEM" serve --data "$R/data" --listen "127.0.0.1:$port"; wait_port "$port"
  URL="http://127.0.0.1:$port"
  for who in A B; do "$TEAMMEM" admin --data "$R/data" member add "$who" >/dev/null; done
  for i in 1 2 3; do
    P="p$i"; project "$P"
    rm -rf "$R/A/mem-$P/team.new"; tree "$n" "$R/A/mem-$P/team.new"; cp -a "$R/A/mem-$P/team.new/." "$R/A/mem-$P/team/"; rm -rf "$R/A/mem-$P/team.new"
    run_as initial_push A sync --quiet "$R/A/work-$P"
    run_as initial_pull B sync --quiet "$R/B/work-$P"
  done
  sleep 2.1                                          # what was just written is hashed once more by the settling run
  for who in A B; do as "$who" sync --quiet "$R/$who/work-$P" >/dev/null; done
  for ((i=1; i<=REPS; i++)); do run_as noop A sync --quiet "$R/A/work-$P"; done
  for ((i=1; i<=REPS; i++)); do run_as noop_verify A sync --quiet --verify "$R/A/work-$P"; done
  for ((i=1; i<=REPS; i++)); do
    touch1 "$R/A/mem-$P/team" "$i"
    run_as change1_push A sync --quiet "$R/A/work-$P"
    run_as change1_pull B sync --quiet "$R/B/work-$P"
  done
  same "$R/A/mem-$P/team" "$R/B/mem-$P/team" -x ".teammem*"; flush "$n"; unserve; rm -rf "$R"
done
finish
