#!/bin/sh
# Plans the manifests of PLAN_FOLDER and comments the plan on the pull request (GitHub) or merge request (GitLab). A later
# run replaces the comment of an earlier one. Ends with 0 when the plan could be made, whether something would be sent or
# not; with 1 when manifests are not valid, or the plan or the comment failed.
#
#   PLAN_FOLDER      the folder with the manifests
#   PLAN_KUBECONFIG  a kubeconfig, as text or as the name of a file: plans against the live objects, by reading alone.
#                    Absent: by the schemas alone, without a cluster
#   PLAN_FLAGS       more flags of `kubectl pipewright plan` for a plan with a cluster, separated by spaces
#   PLAN_COMMENT     false: the plan goes to the summary of the job, or to its log, and nothing is commented
#   GITHUB_TOKEN     on GitHub: the token of the job, which needs `pull-requests: write`
#   GITLAB_TOKEN     on GitLab: a project access token with the scope `api` and the role Reporter
#   COMMENT_AUTHOR   on GitHub: who the owner of that token is; absent: github-actions[bot]
#
# Needs a POSIX shell, curl 7.55 or newer, kubectl, its plugin kubectl-pipewright, and the Node that the plugin runs on.

set +x # a trace would show the token
set -eu
umask 077

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# From here on no program that is started has them in its environment.
github_token=${GITHUB_TOKEN:-}
gitlab_token=${GITLAB_TOKEN:-}
kubeconfig=${PLAN_KUBECONFIG:-}
unset GITHUB_TOKEN GITLAB_TOKEN PLAN_KUBECONFIG

[ -n "${PLAN_FOLDER:-}" ] || fail 'PLAN_FOLDER is not set; give it the folder with the manifests'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- The plan -------------------------------------------------------------------------------------------------------

if [ -n "$kubeconfig" ]; then
  if [ -f "$kubeconfig" ]; then
    KUBECONFIG=$kubeconfig
  else
    KUBECONFIG=$work/kubeconfig
    printf '%s\n' "$kubeconfig" >"$KUBECONFIG"
  fi
  export KUBECONFIG
  # The user of a job need not be allowed to write anything, and so it should not be.
  flags="--dry-run=none ${PLAN_FLAGS:-}"
else
  flags=--offline
fi

code=0
# shellcheck disable=SC2086 # the flags are separated by spaces
kubectl pipewright plan -o markdown $flags -f "$PLAN_FOLDER" >"$work/plan" 2>"$work/said" || code=$?
# GitHub obeys lines of a log that begin in a certain way, and these may have words of others in them.
sed 's/^/plan: /' "$work/said" >&2

case $code in
  0) echo 'The plan: nothing would be sent.' ;;
  2) echo 'The plan: something would be sent.' ;;
  *) echo "The plan failed with exit code $code." ;;
esac

# Where there is no plan, what was said takes its place. Behind four spaces it is neither markup nor a command.
mark='<!-- kubectl pipewright plan -->'
if [ ! -s "$work/plan" ]; then
  case $code in
    0) heading='There is nothing to plan:' ;;
    *) heading='**The plan failed:**' ;;
  esac
  {
    printf '%s\n### Pipewright plan\n\n%s\n\n' "$mark" "$heading"
    tr '\r\v\f' '\n\n\n' <"$work/said" | head -c 20000 | sed 's/^/    /'
  } >"$work/plan"
fi

finish() {
  case $code in
    0 | 2) exit 0 ;;
    *) exit 1 ;;
  esac
}

if [ "${PLAN_COMMENT:-true}" = false ]; then
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    cat "$work/plan" >>"$GITHUB_STEP_SUMMARY"
    echo 'This job may not comment; the plan is in its summary.'
  else
    cat "$work/plan"
  fi
  finish
fi

# ---- The comment ----------------------------------------------------------------------------------------------------

if [ "${GITHUB_ACTIONS:-}" = true ]; then
  forge=GitHub
  api=$GITHUB_API_URL
  number=${GITHUB_REF#refs/pull/}
  number=${number%/merge}
  case $number in
    '' | *[!0-9]*) fail "GITHUB_REF is $GITHUB_REF, which names no pull request; run this job on the event pull_request" ;;
  esac
  [ -n "$github_token" ] || fail "GITHUB_TOKEN is not set; give it to the step: env: { GITHUB_TOKEN: \${{ github.token }} }"
  header="Authorization: Bearer $github_token"
  comments=/repos/$GITHUB_REPOSITORY/issues/$number/comments
  comment=/repos/$GITHUB_REPOSITORY/issues/comments
  replace=PATCH
  hint='check that the job has `permissions: pull-requests: write`; for a pull request of a fork it has not, and PLAN_COMMENT must be false'
elif [ "${GITLAB_CI:-}" = true ]; then
  forge=GitLab
  api=$CI_API_V4_URL
  [ -n "${CI_MERGE_REQUEST_IID:-}" ] || fail 'CI_MERGE_REQUEST_IID is not set; run this job in pipelines of merge requests'
  [ -n "$gitlab_token" ] || fail 'GITLAB_TOKEN is not set; give it a project access token, as a masked variable that is not protected'
  header="PRIVATE-TOKEN: $gitlab_token"
  comments=/projects/$CI_MERGE_REQUEST_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
  comment=$comments
  replace=PUT
  hint='check that GITLAB_TOKEN has not expired, and has the scope `api` and at least the role Reporter'
else
  fail 'neither GITHUB_ACTIONS nor GITLAB_CI is true; this script comments on GitHub and on GitLab only'
fi

# call METHOD PATH [FILE]: sends FILE as JSON; the reply is in $work/reply. The token reaches curl by its stdin, as the
# arguments of a program are there for everybody on the machine to read.
call() {
  method=$1 path=$2 file=${3:-}
  status=$(
    printf '%s\n' "$header" |
      curl -q --silent --show-error --max-time 60 --header @- --header 'Content-Type: application/json' \
        --request "$method" ${file:+--data-binary "@$file"} --output "$work/reply" --write-out '%{http_code}' \
        "$api$path" 2>"$work/curl"
  ) || fail "$forge could not be asked ($method $api$path): $(plain "$work/curl")"
  case $status in
    2??) return ;;
    401 | 403 | 404) todo="; $hint" ;;
    *) todo='; the plan is not in a comment, so run the job again' ;;
  esac
  fail "$forge answered $status to $method $api$path: $(plain "$work/reply")$todo"
}

# The beginning of a file as one line that cannot end the line of a log.
plain() {
  [ ! -f "$1" ] || head -c 300 "$1" | tr -cd '[:print:][:space:]' | tr '\n\r\t\v\f' '     '
}

# json PROGRAM ARGUMENT…: what PROGRAM, in which `reply` is the reply, prints.
json() {
  program=$1
  shift
  node -e "const reply = JSON.parse(require('node:fs').readFileSync(process.argv[1], 'utf8')); $program" \
    "$work/reply" "$@" 2>/dev/null ||
    fail "$forge answered $method $api$path with something else than was expected: $(plain "$work/reply")"
}

if [ "$forge" = GitLab ]; then
  call GET /user
  author=$(json 'if (!reply.username) process.exit(1); console.log(reply.username);')
else
  author=${COMMENT_AUTHOR:-github-actions[bot]}
fi

# Only a comment of our own is replaced: whoever wrote another one with the mark could change it afterwards.
earlier='
  const [, , mark, author] = process.argv;
  const isOurs = ({ body, user, author: by }) =>
    (user?.login ?? by?.username) === author && String(body).split("\n", 1)[0].trim() === mark;
  console.log(reply.find(isOurs)?.id ?? (reply.length < 100 ? "none" : "more"));'
page=0
found=more
while [ "$found" = more ]; do
  page=$((page + 1))
  call GET "$comments?per_page=100&page=$page"
  found=$(json "$earlier" "$mark" "$author")
done

node -e '
  const { readFileSync, writeFileSync } = require("node:fs");
  const [, from, to] = process.argv;
  writeFileSync(to, JSON.stringify({ body: readFileSync(from, "utf8") }));
' "$work/plan" "$work/body"

if [ "$found" = none ]; then
  call POST "$comments" "$work/body"
  echo 'The plan stands in a new comment.'
else
  call "$replace" "$comment/$found" "$work/body"
  echo 'The plan took the place of the earlier one in its comment.'
fi
finish
